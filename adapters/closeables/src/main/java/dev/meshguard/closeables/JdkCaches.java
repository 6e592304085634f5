package dev.meshguard.closeables;

import java.io.InputStream;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Set;

/** Recognizes objects that the JDK constructs and keeps for later, so that nobody closes them. */
final class JdkCaches {

    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    /** They keep the inflaters of closed streams until the archive is closed. */
    private static final Set<String> ARCHIVES =
            Set.of("java.util.zip.ZipFile$CleanableResource", "jdk.nio.zipfs.ZipFileSystem");

    /** They open the archives of URLs and of class loaders, and keep them open. */
    private static final List<String> OPENERS = List.of(
            "jdk.internal.loader.URLClassPath",
            "sun.net.www.protocol.jar.JarFileFactory",
            "sun.net.www.protocol.jar.URLJarFile");

    private JdkCaches() {}

    /** Returns whether the JDK keeps an object that the calling thread has just constructed. */
    static boolean keep(Object object) {
        ClassLoader loader = object.getClass().getClassLoader();
        if (loader != null && loader != ClassLoader.getPlatformClassLoader()) {
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

    private static boolean isOfArchive(StackFrame frame) {
        return frame.getMethodName().equals("getInflater") && ARCHIVES.contains(frame.getClassName());
    }

    private static boolean isOfOpener(StackFrame frame) {
        return OPENERS.stream().anyMatch(frame.getClassName()::startsWith);
    }

    /** A constructor loads no class: the loader that it makes is an object of its own. */
    private static boolean isOfLoader(StackFrame frame) {
        return !frame.getMethodName().equals("<init>") && ClassLoader.class.isAssignableFrom(frame.getDeclaringClass());
    }

    private static boolean isReturning(StackFrame ofLoader) {
        return ofLoader.getMethodName().contains("Resource");
    }
}
