package dev.meshguard.closeables;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** Recognizes objects of the JDK that MeshGuard, JUnit or Surefire construct for themselves, so that no code under test can close them. */
final class TestTools {

    /** The class of a lambda expression is hidden, and shows whose it is: JUnit may call {@code Deflater::new} for a test. */
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(Option.RETAIN_CLASS_REFERENCE, Option.SHOW_HIDDEN_FRAMES));

    private static final List<String> PACKAGES = List.of(
            "dev.meshguard.assertions.",
            "dev.meshguard.closeables.",
            "dev.meshguard.event.",
            "dev.meshguard.handle.",
            "dev.meshguard.history.",
            "dev.meshguard.junit.",
            "dev.meshguard.report.",
            "dev.meshguard.tracker.",
            "dev.meshguard.verdict.",
            "dev.meshguard.weave.",
            "org.apache.maven.surefire.",
            "org.junit.");

    private static final List<String> REFLECTION =
            List.of("java.lang.invoke.", "java.lang.reflect.", "jdk.internal.reflect.");

    private TestTools() {}

    /**
     * Returns whether a tool constructs an object of the JDK for itself, directly or by other code of the JDK. What a tool constructs by
     * reflection it hands out: JUnit converts the arguments of parameterized tests.
     */
    static boolean construct(Object object) {
        return JdkCaches.isOfTheJdk(object.getClass())
                && STACK.walk(frames -> isOfTool(frames.<Class<?>>map(StackFrame::getDeclaringClass)
                        .dropWhile(type -> !type.isInstance(object))
                        .dropWhile(type -> type.isInstance(object))
                        .iterator()));
    }

    private static boolean isOfTool(Iterator<Class<?>> callers) {
        Class<?> caller = callers.hasNext() ? callers.next() : Thread.class;
        if (REFLECTION.stream().anyMatch(caller.getName()::startsWith)) {
            return false;
        }
        while (JdkCaches.isOfTheJdk(caller) && callers.hasNext()) {
            caller = callers.next();
        }
        return isTool(caller);
    }

    /** MeshGuard's own tests lie in the packages that they test. */
    private static boolean isTool(Class<?> type) {
        String topLevel = type.getName().replaceFirst("\\$.*", "");
        return PACKAGES.stream().anyMatch(topLevel::startsWith)
                && !topLevel.endsWith("Tests")
                && !topLevel.endsWith("TestCase");
    }
}
