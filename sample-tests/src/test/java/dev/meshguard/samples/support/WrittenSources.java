package dev.meshguard.samples.support;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Generated sources, compiled into a folder and loaded from there. Close it when the classes are no longer needed. */
public final class WrittenSources implements AutoCloseable {

    private final Path folder;
    private final List<File> files = new ArrayList<>();
    private final URLClassLoader loader;

    /** Starts with an empty folder. */
    public WrittenSources(Path folder) {
        this.folder = folder;
        try {
            this.loader = new URLClassLoader(
                    new URL[] {folder.toUri().toURL()}, Thread.currentThread().getContextClassLoader());
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the source of a class. */
    public void add(String packageName, String className, String source) throws IOException {
        Path file = folder.resolve(packageName.replace('.', '/')).resolve(className + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        files.add(file.toFile());
    }

    /** Compiles all of them, as ASCII, and returns what the compiler has to say; nothing if they are as they should be. */
    public String compile() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.US_ASCII)) {
            List<String> options = List.of(
                    "-d",
                    folder.toString(),
                    "-proc:none",
                    "-Xlint:all,-processing,-path,-classfile",
                    "-Xdoclint:all,-missing",
                    "-encoding",
                    "US-ASCII",
                    "-cp",
                    System.getProperty("java.class.path"));
            compiler.getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromFiles(files))
                    .call();
        }
        return said.toString();
    }

    /** Returns a class that was compiled. */
    public Class<?> load(String name) throws ClassNotFoundException {
        return loader.loadClass(name);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
