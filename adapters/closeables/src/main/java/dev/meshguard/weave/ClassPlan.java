package dev.meshguard.weave;

import net.bytebuddy.jar.asm.MethodVisitor;

/** The calls that are added to one class; two plans are equal if they add the same. */
interface ClassPlan {

    /** Returns whether a loaded class has anything to which calls are added. */
    boolean changes(Class<?> loaded);

    /** Returns the visitor that adds the calls to a method, or the visitor itself. */
    MethodVisitor weave(MethodHeader method, MethodVisitor next, Dispatcher dispatcher);

    /**
     * A method of objects, with code.
     *
     * @param type the internal name of its class
     */
    record MethodHeader(String type, int access, String name, String descriptor) {}
}
