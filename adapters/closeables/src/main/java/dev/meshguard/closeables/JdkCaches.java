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
import org.jspecify.annotations.Nullable;

/** Recognizes objects that the JDK constructs and keeps for later, so that nobody closes them. */
final class JdkCaches {

    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    /** They keep the inflaters of closed streams until the archive is closed. */
    private static final Set<String> ARCHIVES =
            Set.of("java.util.zip.ZipFile$CleanableResource", "jdk.nio.zipfs.ZipFileSystem");

    /** It opens the archives of class loaders, and keeps them open. */
    private static final String OPENER = "jdk.internal.loader.URLClassPath";

    private static final String ARCHIVE_OF_URL = "sun.net.www.protocol.jar.URLJarFile";

    private JdkCaches() {}

    /** Returns whether the JDK keeps an object that the calling thread has just constructed. */
    static boolean keep(Object object) {
        if (!isOfTheJdk(object.getClass())) {
            return false;
        }
        List<StackFrame> stack = STACK.walk(
                frames -> frames.filter(frame -> isOfLoader(frame) || isOfArchive(frame) || isOfOpener(frame))
                        .toList());
        if (object instanceof InputStream) {
            return stack.stream().anyMatch(JdkCaches::isOfArchive)
                    || stack.stream().filter(JdkCaches::isOfLoader).anyMatch(frame -> !isReturning(frame));
        }
        return !stack.isEmpty();
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
