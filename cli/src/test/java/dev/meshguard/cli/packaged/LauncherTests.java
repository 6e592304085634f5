package dev.meshguard.cli.packaged;

import static dev.meshguard.cli.packaged.RunnableJarTests.ALLOCATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.OpenFiles;
import dev.meshguard.cli.packaged.InstalledLauncher.SourcedAnswer;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher {@code meshguard} beside the jar: it starts the jar, with a class archive if it has one. */
@Timeout(600)
class LauncherTests {

    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";

    @TempDir
    static Path parent;

    /** The answers of {@code java -jar}, with which those of the launcher are compared. */
    private static final Map<List<String>, Answer> ANSWERS_OF_JAR = new HashMap<>();

    @SuppressWarnings("NullAway.Init")
    private static InstalledLauncher installed;

    private static Path archive = Path.of("");

    @TempDir
    Path folder;

    private Path cache = Path.of("");

    @BeforeAll
    static void installAndMakeAnArchive() throws Exception {
        InstalledLauncher.assumeAShell();
        installed = InstalledLauncher.in(Files.createDirectory(parent.resolve("installed")));
        archive = installed.makeArchive(parent);
    }

    @BeforeEach
    void nameAnEmptyCache() {
        cache = folder.resolve("caches/meshguard");
    }

    // Starts with and without an archive

    @Test
    void usesTheArchiveThatTheFirstStartHasMade() throws Exception {
        putArchive();

        assertThat(InstalledLauncher.runWithSource(start(), folder, "", "--version")
                        .source())
                .startsWith(InstalledLauncher.FROM_ARCHIVE);
    }

    @Test
    void startsFromTheJarWhereTheArchiveIsDamaged() throws Exception {
        byte[] contents = Files.readAllBytes(archive);
        for (int i = contents.length / 2; i < contents.length / 2 + 4096; i++) {
            contents[i] = (byte) ~contents[i];
        }
        Files.createDirectories(cache);
        Files.write(cache.resolve(archive.getFileName()), contents);

        SourcedAnswer answer = InstalledLauncher.runWithSource(start(), folder, ALLOCATED, "analyze", "-");

        assertThat(answer.answer()).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(answer.source()).startsWith(InstalledLauncher.FROM_JAR);
    }

    /** Java compares the description of the JVM in an archive with its own. */
    @Test
    void startsFromTheJarWhereTheArchiveIsOfAnotherJdk() throws Exception {
        byte[] contents = Files.readAllBytes(archive);
        int jvm = new String(contents, StandardCharsets.ISO_8859_1).indexOf(System.getProperty("java.vm.name"));
        assertThat(jvm).isBetween(0, 4096);
        contents[jvm] = '?';
        Files.createDirectories(cache);
        Files.write(cache.resolve(archive.getFileName()), contents);

        SourcedAnswer answer = InstalledLauncher.runWithSource(start(), folder, ALLOCATED, "analyze", "-");

        assertThat(answer.answer()).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(answer.source()).startsWith(InstalledLauncher.FROM_JAR);
    }

    @Test
    void startsFromTheJarWhereTheArchiveBelongsToAnotherUser() throws Exception {
        putArchive();
        assumeTrue(
                isGivenAway(cache.resolve(archive.getFileName())),
                "Only root can give a file to another user, so that is not tried");

        assertThat(InstalledLauncher.runWithSource(start(), folder, "", "--version")
                        .source())
                .startsWith(InstalledLauncher.FROM_JAR);
    }

    @Test
    void leavesTheLogThatTheUserAsksFor() throws Exception {
        putArchive();

        assertThat(start().with(PackagedProgram.OPTIONS, "-Xlog:gc")
                        .run("", "--version")
                        .out())
                .contains("[gc]");
    }

    // Attempts to make an archive

    @Test
    void makesAnArchiveAndDeletesWhatIsLeftOfOldOnes() throws Exception {
        String name = archive.getFileName().toString();
        Files.createDirectories(cache);
        Files.createFile(cache.resolve(name.replaceFirst("\\d+-\\d+\\.jsa$", "1-1.jsa.4711")));

        assertThat(start().run(ALLOCATED, "analyze", "-")).isEqualTo(answerOfJar("analyze", "-"));

        assertThat(InstalledLauncher.awaitArchive(cache)).hasFileName(name);
    }

    @Test
    void makesTheFolderOfArchivesForItsUserOnly() throws Exception {
        assertThat(Files.getPosixFilePermissions(archive.getParent()))
                .hasSize(3)
                .allMatch(one -> one.name().startsWith("OWNER"));
        assertThat(InstalledLauncher.names(archive.getParent()))
                .containsExactly(archive.getFileName().toString());
    }

    @Test
    void anAttemptThatFailsIsRepeatedAfterADay() throws Exception {
        Path attempts = Files.createDirectory(folder.resolve("attempts"));
        PackagedProgram program = startWithEcho();
        List<Process> starts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            starts.add(program.with("ATTEMPT", "first").builder().start());
        }
        for (Process start : starts) {
            assertThat(start.waitFor()).isZero();
        }
        Path mark = cache.resolve(InstalledLauncher.names(cache).get(0));
        Files.setLastModifiedTime(mark, FileTime.from(Instant.now().minus(2, ChronoUnit.DAYS)));

        program.with("ATTEMPT", "second").run("");

        InstalledLauncher.awaitFiles(
                attempts,
                names -> names.stream().anyMatch(name -> name.startsWith("first"))
                        && names.stream().anyMatch(name -> name.startsWith("second")));
        assertThat(InstalledLauncher.names(attempts)).hasSize(2);
        assertThat(InstalledLauncher.names(cache))
                .containsExactly(mark.getFileName().toString());
    }

    @Test
    void aJdkHasAnArchiveOfItsOwn() throws Exception {
        putArchive();

        assertThat(startWithEcho().run("", "--version").out())
                .isEqualTo(
                        "-jar " + installed.launcher().toRealPath().resolveSibling("meshguard.jar") + " --version\n");
        assertThat(InstalledLauncher.names(cache)).hasSize(2);
    }

    @Test
    void aJvmIgnoresAnOptionOfArchivesThatItDoesNotHave() throws Exception {
        PackagedProgram program = startWithEcho();
        program.run("");
        Path own = cache.resolve(InstalledLauncher.names(cache).get(0));
        Files.writeString(own, "archive");

        assertThat(program.run("").out()).startsWith("-XX:+IgnoreUnrecognizedVMOptions -XX:SharedArchiveFile=" + own);
    }

    @Test
    void readsAFileWithOneThreadForTheCollector() throws Exception {
        assertThat(startWithEcho().run("", "analyze", "server.log").out()).contains("-XX:+UseSerialGC ");
    }

    /** Java rejects two collectors. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseParallelGC", "@options"})
    void leavesTheCollectorThatTheUserMayHaveChosen(String options) throws Exception {
        PackagedProgram program = startWithEcho().with(PackagedProgram.OPTIONS, options);

        assertThat(program.run("", "analyze", "server.log").out()).doesNotContain("-XX:+UseSerialGC");
    }

    // Starts like the jar

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
        putArchive();
        Files.writeString(folder.resolve("a log.txt"), ALLOCATED + FREED);
        String[] arguments = line.toArray(new String[0]);

        assertThat(start().run(ALLOCATED, arguments))
                .isEqualTo(PackagedProgram.ofJar(folder).run(ALLOCATED, arguments));
    }

    @Test
    @EnabledIf("dev.meshguard.cli.OpenFiles#areListed")
    void aSignalToItsProcessReachesTheProgram() throws Exception {
        putArchive();
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
        Path link = Files.createSymbolicLink(parent.resolve("mg"), installed.launcher());
        putArchive();
        PackagedProgram program = PackagedProgram.ofCommand(folder, link.toString())
                .with("XDG_CACHE_HOME", cache.getParent().toString());

        assertThat(program.run("", "--version")).isEqualTo(answerOfJar("--version"));
        assertThat(InstalledLauncher.names(cache)).hasSize(1);
    }

    /** JDK 17 does not use an archive's classes for a jar at such a path. */
    @Test
    void startsAtAPathWithBlanks() throws Exception {
        Path blanks = Files.createDirectory(folder.resolve("with  blanks"));
        InstalledLauncher own = InstalledLauncher.in(blanks);
        own.makeArchive(blanks);

        assertThat(own.startIn(folder, blanks.resolve("caches")).run("", "--version"))
                .isEqualTo(answerOfJar("--version"));
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

    // Unusable folders

    @ParameterizedTest
    @ValueSource(strings = {"file/cache", "a:b"})
    void startsFromTheJarWhereNoArchiveCanBeKept(String name) throws Exception {
        Files.createFile(folder.resolve("file"));
        Path unusable = folder.resolve(name);

        assertThat(installed.startIn(folder, unusable).run(ALLOCATED, "analyze", "-"))
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
        assertThat(cache).isEmptyDirectory();
    }

    @Test
    void startsFromTheJarWithoutAHome() throws Exception {
        PackagedProgram program = installed.startIn(folder, Path.of("relative")).with("HOME", "");

        assertThat(program.run(ALLOCATED, "analyze", "-")).isEqualTo(answerOfJar("analyze", "-"));
        assertThat(folder.resolve("relative")).doesNotExist();
    }

    private PackagedProgram start() {
        return installed.startIn(folder, cache.getParent());
    }

    /** Returns the launcher with a Java that prints its arguments, makes no archive, and counts the attempts in a folder. */
    private PackagedProgram startWithEcho() throws IOException {
        Path java = Files.createDirectories(folder.resolve("echo/bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                case "$*" in *-XX:ArchiveClassesAtExit=*) mkdir "attempts/$ATTEMPT-$$" ;; esac
                echo "$*"
                """);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        return start().with("JAVA_HOME", folder.resolve("echo").toString());
    }

    /** Returns what {@code java -jar} answers to the input and arguments that many tests use; the jar is asked once. */
    private Answer answerOfJar(String... arguments) throws Exception {
        List<String> line = List.of(arguments);
        Answer known = ANSWERS_OF_JAR.get(line);
        if (known == null) {
            known = PackagedProgram.ofJar(folder).run(ALLOCATED, arguments);
            ANSWERS_OF_JAR.put(line, known);
        }
        return known;
    }

    private void putArchive() throws IOException {
        Files.createDirectories(cache);
        Files.copy(archive, cache.resolve(archive.getFileName()));
    }

    private static boolean isGivenAway(Path file) {
        try {
            Files.setOwner(
                    file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
