package dev.meshguard.cli.packaged;

import static dev.meshguard.cli.packaged.RunnableJarTests.ALLOCATED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.OpenFiles;
import dev.meshguard.cli.packaged.InstalledLauncher.SourcedAnswer;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
