package dev.meshguard.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A copy of the launcher beside a copy of the jar.
 *
 * @param launcher the launcher
 */
record InstalledLauncher(Path launcher) {

    /** How Java names the source of a class that it has read from a jar. */
    static final String FROM_JAR = "file:";

    /** How Java names the source of a class that it has read from an archive. */
    static final String FROM_ARCHIVE = "shared objects file";

    private static final String MAIN_CLASS = "dev.meshguard.cli.MeshGuard";

    /** The answer of one run of the program, and the source of the code of its main class. */
    record SourcedAnswer(Answer answer, String source) {}

    /** Installs the launcher in an empty folder. */
    static InstalledLauncher in(Path folder) throws IOException {
        Files.copy(PackagedProgram.RUNNABLE_JAR, folder.resolve("meshguard.jar"), StandardCopyOption.COPY_ATTRIBUTES);
        return new InstalledLauncher(Files.copy(
                PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard"),
                folder.resolve("meshguard"),
                StandardCopyOption.COPY_ATTRIBUTES));
    }

    /** Skips the tests of the launcher on a system without a shell. */
    static void assumeAShell() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "sh"))),
                "There is no sh on the PATH, so the launcher is not tested");
    }

    /** Makes an archive by a first start, and returns it. */
    Path makeArchive(Path folder) throws Exception {
        Path caches = folder.resolve("caches");
        startIn(folder, caches).run("", "--version");
        return awaitArchive(caches.resolve("meshguard"));
    }

    /** Returns the launcher with a user's cache folder, in which it has a folder of its own. */
    PackagedProgram startIn(Path folder, Path caches) {
        return PackagedProgram.ofCommand(folder, launcher.toString()).with("XDG_CACHE_HOME", caches.toString());
    }

    /** Runs a program of this installation, and returns its answer with the source of its main class. */
    static SourcedAnswer runWithSource(PackagedProgram program, Path folder, String input, String... arguments)
            throws Exception {
        Path classes = folder.resolve("classes");
        Answer answer = program.with(PackagedProgram.OPTIONS, "-Xlog:class+load:file=" + classes)
                .run(input, arguments);
        try (Stream<String> lines = Files.lines(classes)) {
            String name = MAIN_CLASS + " source: ";
            String source = lines.filter(line -> line.contains(name))
                    .map(line -> line.substring(line.indexOf(name) + name.length()))
                    .collect(Collectors.joining());
            return new SourcedAnswer(answer, source);
        }
    }

    /** Returns the only file in the folder, an archive, after the background process has moved it to its name. */
    static Path awaitArchive(Path cache) throws Exception {
        awaitFiles(
                cache,
                names -> names.size() == 1
                        && names.get(0).endsWith(".jsa")
                        && cache.resolve(names.get(0)).toFile().length() > 0);
        return cache.resolve(names(cache).get(0));
    }

    /** Waits until the names of the files in a folder are as expected. */
    static void awaitFiles(Path folder, Predicate<List<String>> expected) throws Exception {
        try (WatchService watch = folder.getFileSystem().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            while (!expected.test(names(folder))) {
                WatchKey change = watch.poll(5, TimeUnit.MINUTES);
                assertThat(change).as("a change in %s", names(folder)).isNotNull();
                change.pollEvents();
                change.reset();
            }
        }
    }

    /** Returns the sorted names of the files in a folder. */
    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
