package dev.meshguard.weave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.BiConsumer;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import org.jspecify.annotations.Nullable;

/**
 * The class that woven code calls.
 *
 * <p>It is in {@code java.lang}, defined by a lookup. The alternative, a jar appended to the bootstrap class path, costs class data sharing and
 * is not found through class loaders that delegate {@code java.*} only.
 *
 * @param name its internal name
 * @param receivers its field
 */
record Dispatcher(String name, VarHandle receivers) {

    /** Defines it. Another copy of MeshGuard in another class loader has a dispatcher of its own. */
    static Dispatcher define() {
        String name = "java/lang/MeshGuard" + Integer.toHexString(System.identityHashCode(Dispatcher.class));
        try (InputStream template = Objects.requireNonNull(
                Dispatcher.class.getResourceAsStream(WovenCalls.class.getSimpleName() + ".class"))) {
            Lookup lookup = JdkLookup.in(Object.class);
            Class<?> type = lookup.defineClass(renamed(new ClassReader(template), name));
            return new Dispatcher(name, lookup.findStaticVarHandle(type, "receivers", BiConsumer[].class));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @SuppressWarnings("deprecation") // The other constructor of the remapper needs Byte Buddy 1.18.
    private static byte[] renamed(ClassReader template, String name) {
        ClassWriter writer = new ClassWriter(0);
        template.accept(
                new ClassRemapper(writer, new SimpleRemapper(template.getClassName(), name)), ClassReader.SKIP_DEBUG);
        return writer.toByteArray();
    }

    /** Passes calls on to receivers, by their index, from now on; null drops calls. */
    void pass(@Nullable BiConsumer<Object, @Nullable Object> @Nullable [] current) {
        receivers.setVolatile(current);
    }

    /** Adds a call whose subject and argument are on the stack. */
    void addCall(MethodVisitor method, int receiver) {
        method.visitLdcInsn(receiver);
        method.visitMethodInsn(
                Opcodes.INVOKESTATIC,
                name,
                "call",
                Type.getMethodDescriptor(
                        Type.VOID_TYPE, Type.getType(Object.class), Type.getType(Object.class), Type.INT_TYPE),
                false);
    }
}
