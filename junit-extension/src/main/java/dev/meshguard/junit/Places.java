package dev.meshguard.junit;

import dev.meshguard.junit.internal.TestNames;
import java.lang.reflect.Method;

/** How a class or method is named in messages and commands. */
final class Places {

    private Places() {}

    /** Returns the class without its package, as build tools select it: {@code KvCacheTest$Prefill}. */
    static String name(Class<?> type) {
        return TestNames.of(type);
    }

    /** Returns the method with its class: {@code KvCacheTest#decode}. */
    static String name(Class<?> type, Method method) {
        return TestNames.of(type, method);
    }
}
