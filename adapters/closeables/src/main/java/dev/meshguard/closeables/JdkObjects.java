package dev.meshguard.closeables;

import dev.meshguard.weave.JdkLookup;
import java.io.InputStream;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes objects of the JDK that no code under test can close: the JDK keeps them for later, or MeshGuard, JUnit or Surefire has constructed
 * them for itself.
 */
final class JdkObjects {

    /** The class of a lambda expression is hidden, and shows whose it is: JUnit may call {@code Deflater::new} for a test. */
    private static final StackWalker STACK =
            StackWalker.getInstance(Set.of(Option.RETAIN_CLASS_REFERENCE, Option.SHOW_HIDDEN_FRAMES));

    private static final List<String> TOOLS = List.of("dev.meshguard.", "org.apache.maven.surefire.", "org.junit.");

    /** Packages of MeshGuard whose objects tests use and close, as those of clients. */
    private static final List<String> CALLED_BY_TESTS =
            List.of("dev.meshguard.example.", "dev.meshguard.samples.", "dev.meshguard.server.");

    private static final List<String> REFLECTION = List.of("java.lang.invoke.", "jdk.internal.reflect.");

    /** They keep the inflaters of closed streams until the archive is closed. */
    private static final Set<String> ARCHIVES =
            Set.of("java.util.zip.ZipFile$CleanableResource", "jdk.nio.zipfs.ZipFileSystem");

    /** It opens the archives of class loaders, and keeps them open. */
    private static final String OPENER = "jdk.internal.loader.URLClassPath";

    private static final String ARCHIVE_OF_URL = "sun.net.www.protocol.jar.URLJarFile";

    private JdkObjects() {}

    /** Returns whether the calling thread constructs an object of the JDK for the JDK itself or for a tool. */
    static boolean isOfNobody(Object object) {
        if (!isOfTheJdk(object.getClass())) {
            return false;
        }
        List<StackFrame> stack = STACK.walk(Stream::toList);
        return isKept(object, stack) || isOfTool(object, stack);
    }

    private static boolean isKept(Object object, List<StackFrame> stack) {
        List<StackFrame> keepers = stack.stream()
                .filter(frame -> isOfLoader(frame) || isOfArchive(frame) || isOfOpener(frame))
                .toList();
        if (object instanceof InputStream) {
            return keepers.stream().anyMatch(frame -> isOfArchive(frame) || (isOfLoader(frame) && !isReturning(frame)));
        }
        return !keepers.isEmpty();
    }

    /**
     * Returns whether a tool constructs an object, directly or by other code of the JDK. What a tool constructs by reflection it hands out:
     * JUnit converts the arguments of parameterized tests.
     */
    private static boolean isOfTool(Object object, List<StackFrame> stack) {
        List<Class<?>> callers = stack.stream()
                .<Class<?>>map(StackFrame::getDeclaringClass)
                .dropWhile(type -> !type.isInstance(object))
                .dropWhile(type -> type.isInstance(object))
                .toList();
        String direct = callers.isEmpty() ? "" : callers.get(0).getName();
        return REFLECTION.stream().noneMatch(direct::startsWith)
                && callers.stream()
                        .filter(type -> !isOfTheJdk(type))
                        .findFirst()
                        .filter(JdkObjects::isTool)
                        .isPresent();
    }

    /** MeshGuard's own tests lie in the packages that they test. */
    private static boolean isTool(Class<?> type) {
        String topLevel = type.getName().replaceFirst("\\$.*", "");
        return TOOLS.stream().anyMatch(topLevel::startsWith)
                && CALLED_BY_TESTS.stream().noneMatch(topLevel::startsWith)
                && !topLevel.endsWith("Tests")
                && !topLevel.endsWith("TestCase");
    }

    static boolean isOfTheJdk(Class<?> type) {
        return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    /**
     * Returns whether an object is an archive that the JDK keeps for later connections to its URL. It opens one before it knows, so this changes.
     * In a JDK with other fields it keeps all that it opened.
     */
    static boolean keepForUrl(@Nullable Object object) {
        return object != null
                && object.getClass().getName().equals(ARCHIVE_OF_URL)
                && UrlCache.OF_JDK.map(cache -> cache.contains(object)).orElse(true);
    }

    /**
     * The cache of archives by their URL.
     *
     * @param guard the object that guards it
     */
    private record UrlCache(Map<?, ?> archives, Object guard) {

        static final Optional<UrlCache> OF_JDK = open();

        private static Optional<UrlCache> open() {
            try {
                Class<?> factory = Class.forName("sun.net.www.protocol.jar.JarFileFactory");
                MethodHandles.Lookup lookup = JdkLookup.in(factory);
                return Optional.of(new UrlCache(
                        (Map<?, ?>) lookup.findStaticVarHandle(factory, "fileCache", HashMap.class)
                                .get(),
                        lookup.findStaticVarHandle(factory, "instance", factory).get()));
            } catch (ReflectiveOperationException ofAnotherJdk) {
                return Optional.empty();
            }
        }

        @SuppressWarnings("ReferenceEquality") // Archives are identities.
        boolean contains(Object archive) {
            synchronized (guard) {
                return archives.values().stream().anyMatch(kept -> kept == archive);
            }
        }
    }

    private static boolean isOfArchive(StackFrame frame) {
        return ARCHIVES.contains(frame.getClassName()) && frame.getMethodName().equals("getInflater");
    }

    private static boolean isOfOpener(StackFrame frame) {
        return frame.getClassName().startsWith(OPENER);
    }

    /** A constructor loads no class: the loader that it makes is an object of its own. */
    private static boolean isOfLoader(StackFrame frame) {
        return ClassLoader.class.isAssignableFrom(frame.getDeclaringClass())
                && !frame.getMethodName().equals("<init>");
    }

    private static boolean isReturning(StackFrame ofLoader) {
        return ofLoader.getMethodName().contains("Resource");
    }
}
