package dev.meshguard.cli.packaged;

import static dev.meshguard.cli.packaged.RunnableJarTests.ALLOCATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.OpenFiles;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher {@code meshguard} beside the jar: it starts the jar, with a class archive if it has one. */
@Timeout(600)
class LauncherTests {

    private static final String FROM_JAR = "file:";
    private static final String FROM_ARCHIVE = "shared objects file";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";

    /** Kinds of damage to the content of a file. */
    enum Damage {
        EMPTY {
            @Override
            byte[] to(byte[] contents) {
                return new byte[0];
            }
        },
        TRUNCATED {
            @Override
            byte[] to(byte[] contents) {
                return Arrays.copyOf(contents, contents.length / 4);
            }
        },
        CHANGED {
            @Override
            byte[] to(byte[] contents) {
                byte[] changed = contents.clone();
                for (int i = changed.length / 2; i < changed.length / 2 + 4096; i++) {
                    changed[i] = (byte) ~changed[i];
                }
                return changed;
            }
        };

        abstract byte[] to(byte[] contents);
    }

    @TempDir
    static Path parent;

    /** The answers of {@code java -jar}, with which those of the launcher are compared. */
    private static final Map<List<String>, Answer> ANSWERS_OF_JAR = new HashMap<>();

    private static Path launcher = Path.of("");
    private static Path archive = Path.of("");

    @TempDir
    Path folder;

    private Path cache = Path.of("");

    @BeforeAll
    static void installAndMakeAnArchive() throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "sh"))),
                "There is no sh on the PATH, so the launcher is not tested");
        launcher = installed(Files.createDirectory(parent.resolve("installed")));
        Path caches = parent.resolve("caches");
        start(launcher, parent, caches).run("", "--version");
        archive = awaitArchive(caches.resolve("meshguard"));
    }

    @BeforeEach
    void nameAnEmptyCache() {
        cache = folder.resolve("caches/meshguard");
    }

    // Starts with and without an archive

    @Test
    void usesTheArchiveThatTheFirstStartHasMade() throws Exception {
        putArchive(Files.readAllBytes(archive));

        assertThat(sourceOfClasses(start())).isEqualTo(FROM_ARCHIVE);
    }

    @Test
    void startsFromTheJarAndMakesNoArchiveIfThatIsTurnedOff() throws Exception {
        PackagedProgram program = start().with("MESHGUARD_ARCHIVE", "off");

        assertThat(program.run(ALLOCATED, "analyze", "-")).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(cache).doesNotExist();
    }

    @Test
    void makesTheFolderOfArchivesForItsUserOnly() throws Exception {
        assertThat(Files.getPosixFilePermissions(archive.getParent()))
                .hasSize(3)
                .allMatch(one -> one.name().startsWith("OWNER"));
        assertThat(names(archive.getParent()))
                .containsExactly(archive.getFileName().toString());
    }

    static Stream<List<String>> commandLines() {
        return Stream.of(
                List.of("analyze", "-"),
                List.of("analyze", "a log.txt", "", "two  blanks * \"quoted\" $HOME `x` \\"),
                List.of("analyze", "--phase", "(", "a log.txt"),
                List.of("analyze", "--json", "a log.txt"),
                List.of("--version"),
                List.of());
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void answersLikeTheJar(List<String> line) throws Exception {
        putArchive(Files.readAllBytes(archive));
        Files.writeString(folder.resolve("a log.txt"), ALLOCATED + FREED);
        String[] arguments = line.toArray(new String[0]);

        assertThat(start().run(ALLOCATED, arguments)).isEqualTo(jar().run(ALLOCATED, arguments));
    }

    @Test
    @EnabledIf("dev.meshguard.cli.OpenFiles#areListed")
    void aSignalToItsProcessReachesTheProgram() throws Exception {
        putArchive(Files.readAllBytes(archive));
        Path log = Files.writeString(folder.resolve("server.log"), ALLOCATED);
        Path out = folder.resolve("out");
        Process program = start().builder("analyze", "--follow", log.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        OpenFiles.await(program, log);
        program.destroy();

        assertThat(program.waitFor()).isEqualTo(1);
        assertThat(out).content().contains("LEAK  ");
    }

    @Test
    void findsTheJarThroughALinkToIt() throws Exception {
        Path link = Files.createSymbolicLink(parent.resolve("mg"), launcher);
        PackagedProgram program =
                PackagedProgram.ofCommand(folder, link.toString()).with("MESHGUARD_ARCHIVE", "off");

        assertThat(program.run("", "--version")).isEqualTo(answerOfJar("--version"));
    }

    /** JDK 17 does not use an archive's classes for a jar at such a path. */
    @Test
    void startsAtAPathWithBlanks() throws Exception {
        Path own = installed(Files.createDirectory(folder.resolve("with  blanks")));
        PackagedProgram program =
                PackagedProgram.ofCommand(folder, own.toString()).with("MESHGUARD_ARCHIVE", "off");

        assertThat(program.run("", "--version")).isEqualTo(answerOfJar("--version"));
    }

    @Test
    void namesTheWayOutWhereThereIsNoJava() throws Exception {
        PackagedProgram program = start().with("JAVA_HOME", folder.toString());

        assertThat(program.run("", "--version"))
                .isEqualTo(new Answer(
                        127,
                        "",
                        "meshguard: no Java was found. Install a JDK (17 or later) and set JAVA_HOME or put its java on the"
                                + " PATH.\n"));
    }

    // Unusable archives

    @ParameterizedTest
    @EnumSource
    void startsFromTheJarWhereTheArchiveIsDamaged(Damage damage) throws Exception {
        byte[] damaged = damage.to(Files.readAllBytes(archive));
        markAnAttempt();

        putArchive(damaged);

        answersFromTheJar(start());
    }

    @Test
    void makesADamagedArchiveAgain() throws Exception {
        putArchive(Damage.CHANGED.to(Files.readAllBytes(archive)));

        start().run("", "--version");

        assertThat(awaitArchive(cache)).isRegularFile();
        assertThat(sourceOfClasses(start())).isEqualTo(FROM_ARCHIVE);
    }

    /** Java compares the description of the JVM in an archive with its own. */
    @Test
    void startsFromTheJarWhereTheArchiveIsOfAnotherJdk() throws Exception {
        String contents = new String(Files.readAllBytes(archive), StandardCharsets.ISO_8859_1);
        int jvm = contents.indexOf(System.getProperty("java.vm.name"));
        assertThat(jvm).isBetween(0, 4096);
        byte[] other = contents.getBytes(StandardCharsets.ISO_8859_1);
        other[jvm] = '?';
        Path otherArchive = putArchive(other);
        Path validName = cache.resolve(version() + "-" + checksum(otherArchive) + ".jsa");
        Files.move(otherArchive, validName);

        answersFromTheJar(start());
        assertThat(validName).exists();
    }

    @Test
    void makesAnArchiveOfAJarThatWasReplacedAndDeletesTheOldOne() throws Exception {
        Path old = putArchive(Files.readAllBytes(archive));
        String name = old.getFileName().toString();
        Path ofOldJar = Files.move(old, cache.resolve(name.replaceFirst("-", "-1")));

        assertThat(sourceOfClasses(start())).startsWith(FROM_JAR);
        assertThat(awaitArchive(cache)).isNotEqualTo(ofOldJar);
        assertThat(sourceOfClasses(start())).isEqualTo(FROM_ARCHIVE);
    }

    // Unusable folders

    @ParameterizedTest
    @ValueSource(strings = {"file/cache", "a:b"})
    void startsFromTheJarWhereNoArchiveCanBeKept(String name) throws Exception {
        Files.createFile(folder.resolve("file"));
        Path unusable = folder.resolve(name);

        assertThat(start(launcher, folder, unusable).run(ALLOCATED, "analyze", "-"))
                .isEqualTo(answerOfJar("analyze", "-"));
        assertThat(Files.exists(unusable)).isFalse();
    }

    @Test
    void startsFromTheJarWhereTheFolderCannotBeWritten() throws Exception {
        Files.createDirectories(cache);
        assumeTrue(
                cache.toFile().setWritable(false) && !Files.isWritable(cache),
                "This user may write to every folder, so a read-only one is not tried");

        assertThat(start().run(ALLOCATED, "analyze", "-")).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(names(cache)).isEmpty();
    }

    @Test
    void doesNotReadTheFolderOfAnotherUser() throws Exception {
        putArchive(Files.readAllBytes(archive));
        assumeTrue(isGivenAway(cache), "Only root can give a folder to another user, so that is not tried");

        assertThat(sourceOfClasses(start())).startsWith(FROM_JAR);
    }

    @Test
    void startsFromTheJarWithoutAHome() throws Exception {
        PackagedProgram program = start(launcher, folder, Path.of("relative")).with("HOME", "");

        assertThat(program.run(ALLOCATED, "analyze", "-")).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(folder.resolve("relative")).doesNotExist();
    }

    // Concurrent starts

    @Test
    void twoStartsAtOnceAnswerAndMakeOneArchive() throws Exception {
        Path out = folder.resolve("out");
        Path otherOut = folder.resolve("otherOut");
        Process one = start().builder("--version")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        Process other = start().builder("--version")
                .redirectErrorStream(true)
                .redirectOutput(otherOut.toFile())
                .start();

        assertThat(one.waitFor()).isZero();
        assertThat(other.waitFor()).isZero();
        String version = answerOfJar("--version").out();
        assertThat(out).content().isEqualTo(version);
        assertThat(otherOut).content().isEqualTo(version);
        Path made = awaitArchive(cache);
        assertThat(names(cache)).containsExactly(made.getFileName().toString());
    }

    @Test
    void anAttemptThatFailedIsRepeatedAfterADay() throws Exception {
        Path attempt = markAnAttempt();
        start().run("", "--version");
        assertThat(names(cache)).containsExactly(attempt.getFileName().toString());
        Files.setLastModifiedTime(attempt, FileTime.fromMillis(System.currentTimeMillis() - TimeUnit.DAYS.toMillis(2)));

        start().run("", "--version");

        assertThat(awaitArchive(cache)).isRegularFile();
        assertThat(attempt).doesNotExist();
    }

    private PackagedProgram start() {
        return start(launcher, folder, cache.getParent());
    }

    private PackagedProgram jar() {
        return PackagedProgram.ofJar(folder);
    }

    /** Returns what {@code java -jar} answers to the input and arguments that many tests use; the jar is asked once. */
    private Answer answerOfJar(String... arguments) throws Exception {
        List<String> line = List.of(arguments);
        Answer known = ANSWERS_OF_JAR.get(line);
        if (known == null) {
            known = jar().run(ALLOCATED, arguments);
            ANSWERS_OF_JAR.put(line, known);
        }
        return known;
    }

    /** Returns the launcher with a user's cache folder, in which it has a folder of its own. */
    private static PackagedProgram start(Path launcher, Path folder, Path caches) {
        return PackagedProgram.ofCommand(folder, launcher.toString()).with("XDG_CACHE_HOME", caches.toString());
    }

    private static Path installed(Path folder) throws IOException {
        Files.copy(PackagedProgram.RUNNABLE_JAR, folder.resolve("meshguard.jar"), StandardCopyOption.COPY_ATTRIBUTES);
        return Files.copy(
                PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard"),
                folder.resolve("meshguard"),
                StandardCopyOption.COPY_ATTRIBUTES);
    }

    private void answersFromTheJar(PackagedProgram program) throws Exception {
        Path classes = folder.resolve("classes");

        assertThat(program.with(PackagedProgram.OPTIONS, logOf(classes)).run(ALLOCATED, "analyze", "-"))
                .isEqualTo(answerOfJar("analyze", "-"));

        assertThat(sourceIn(classes)).startsWith(FROM_JAR);
    }

    /** Starts the program and returns the source of its first class. */
    private String sourceOfClasses(PackagedProgram program) throws Exception {
        Path classes = folder.resolve("classes");
        program.with(PackagedProgram.OPTIONS, logOf(classes)).run("", "--version");
        return sourceIn(classes);
    }

    private static String logOf(Path classes) {
        return "-Xlog:class+load:file=" + classes;
    }

    private static String sourceIn(Path classes) throws IOException {
        try (Stream<String> lines = Files.lines(classes)) {
            String name = "dev.meshguard.cli.MeshGuard source: ";
            return lines.filter(line -> line.contains(name))
                    .map(line -> line.substring(line.indexOf(name) + name.length()))
                    .collect(Collectors.joining());
        }
    }

    private Path putArchive(byte[] contents) throws IOException {
        Files.createDirectories(cache);
        return Files.write(cache.resolve(archive.getFileName()), contents);
    }

    private Path markAnAttempt() throws IOException {
        Files.createDirectories(cache);
        return Files.createFile(cache.resolve(version() + ".attempt"));
    }

    /** Returns the common prefix of all file names of the jar's archive. */
    private static String version() {
        return archive.getFileName().toString().replaceFirst("-\\d+-\\d+\\.jsa$", "");
    }

    private String checksum(Path file) throws Exception {
        Answer answer = PackagedProgram.ofCommand(folder, "sh", "-c", "cksum <\"$1\"", "sh")
                .run("", file.toString());
        return answer.out().strip().replace(' ', '-');
    }

    private static boolean isGivenAway(Path folder) {
        try {
            Files.setOwner(
                    folder,
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the only file in the folder, an archive, after the background process has deleted its other files. */
    private static Path awaitArchive(Path cache) throws Exception {
        try (WatchService watch = cache.getFileSystem().newWatchService()) {
            cache.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            while (names(cache).size() != 1 || !names(cache).get(0).endsWith(".jsa")) {
                WatchKey change = watch.poll(5, TimeUnit.MINUTES);
                assertThat(change).as("a change in %s", names(cache)).isNotNull();
                change.pollEvents();
                change.reset();
            }
        }
        return cache.resolve(names(cache).get(0));
    }

    private static List<String> names(Path cache) throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
