package dev.meshguard.closeables;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
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

    private TestTools() {}

    /** Returns whether a tool constructs an object of the JDK, directly or by other code of the JDK. */
    static boolean construct(Object object) {
        return JdkCaches.isOfTheJdk(object.getClass())
                && STACK.walk(frames -> frames.<Class<?>>map(StackFrame::getDeclaringClass)
                        .dropWhile(type -> !type.isInstance(object))
                        .filter(type -> !JdkCaches.isOfTheJdk(type))
                        .findFirst()
                        .filter(TestTools::isTool)
                        .isPresent());
    }

    /** MeshGuard's own tests lie in the packages that they test. */
    private static boolean isTool(Class<?> type) {
        String topLevel = type.getName().replaceFirst("\\$.*", "");
        return PACKAGES.stream().anyMatch(topLevel::startsWith)
                && !topLevel.endsWith("Tests")
                && !topLevel.endsWith("TestCase");
    }
}
