package dev.meshguard.junit.internal;

import java.lang.reflect.Method;

/** Formats classes, methods and lines for messages. */
public final class TestNames {

    private TestNames() {}

    /** Returns the class without its package, as selected by build tools: {@code KvCacheTest$Prefill}. */
    public static String of(Class<?> type) {
        return withoutPackage(type.getName());
    }

    /** Returns the method with its class: {@code KvCacheTest#decode}. */
    public static String of(Class<?> type, Method method) {
        return of(type) + "#" + method.getName();
    }

    /** Returns a line of code: {@code KvCache.append:41}; without the line if it is unknown. */
    public static String of(StackTraceElement frame) {
        String method = withoutPackage(frame.getClassName()) + "." + frame.getMethodName();
        return frame.getLineNumber() < 0 ? method : method + ":" + frame.getLineNumber();
    }

    /** Returns a class, or a class and its method, without the package. */
    public static String withoutPackage(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
