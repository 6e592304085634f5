package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.closeables.TrackedTestThread;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Measures the loading of classes that no test names, before and after a test with {@code @TrackCloseables}. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 10)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-Dmeshguard.page=off"})
@State(Scope.Benchmark)
public class ClassLoadingBenchmark {

    private static final int CLASSES = 3_000;

    private static final List<String> LIBRARIES =
            List.of("io/netty/", "org/junit/", "com/fasterxml/jackson/", "net/bytebuddy/");

    /** Whether there was such a test. */
    @Param({"false", "true"})
    public boolean isWeaving;

    private final List<URL> jars = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    /** Selects the classes of libraries. */
    @Setup
    public void select() throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (path.endsWith(".jar")) {
                jars.add(new File(path).toURI().toURL());
                addClasses(path);
            }
        }
        if (names.size() < CLASSES) {
            throw new IllegalStateException("Only " + names.size() + " classes can be loaded");
        }
        if (isWeaving) {
            TrackedTestThread.begin().close();
        }
    }

    private void addClasses(String path) throws IOException {
        try (JarFile entries = new JarFile(path)) {
            entries.stream()
                    .map(JarEntry::getName)
                    .filter(name -> LIBRARIES.stream().anyMatch(name::startsWith))
                    .filter(name -> name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(ClassLoadingBenchmark::isComplete)
                    .limit(CLASSES - names.size())
                    .forEach(names::add);
        }
    }

    private static boolean isComplete(String name) {
        try {
            Class.forName(name, false, ClassLoadingBenchmark.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError needsAnotherLibrary) {
            return false;
        }
    }

    /** Loads them in a class loader of their own. */
    @Benchmark
    public void load() throws IOException, ClassNotFoundException {
        try (URLClassLoader loader =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (String name : names) {
                Class.forName(name, false, loader);
            }
        }
    }
}
