package dev.meshguard.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.ScriptedDatabase;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code java -jar meshguard.jar} and its launchers: each test needs what other tests have on their class path, or a shell
 * script.
 */
@Timeout(600)
class PackagedProgramTests {

    private static final String LEAK =
            "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\nAllocation Server stopped\n";

    @TempDir
    static Path parent;

    @TempDir
    Path folder;

    // The jar

    @Test
    void namesTheVersionInItsManifest() throws Exception {
        Answer answer = run("", "--version");

        assertThat(answer.status()).isZero();
        assertThat(answer.out()).matches("meshguard \\d+\\.\\d+\\.\\d+.*\\R");
    }

    @Test
    void readsADatabaseWithItsNativeLibraryInLittleMemory() throws Exception {
        ScriptedDatabase.write(folder.resolve("of a run.sqlite"), "db.sql");

        Answer answer = PackagedProgram.ofJar(folder)
                .with(PackagedProgram.OPTIONS, "-Xmx256m")
                .run("", "analyze", "of a run.sqlite");
        Answer page = run("", "page", "of a run.sqlite");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains("of a run.sqlite: 3 operations, 4 buffers in their snapshots");
        assertThat(answer.status()).isEqualTo(2);
        assertThat(page).isEqualTo(new Answer(0, "of-a-run.sqlite.html\n", ""));
        assertThat(folder.resolve("of-a-run.sqlite.html")).isNotEmptyFile();
    }

    @Test
    void writesAndReadsAHistory() throws Exception {
        String java = PackagedProgram.JAVA_HOME.resolve("bin/java").toString();

        Answer written = run("", "record", "--without-page", "-o", "run.jsonl", "--", java, "--version");
        Answer read = run("", "analyze", "--json", "run.jsonl");

        assertThat(written.out()).startsWith("INCONCLUSIVE  ");
        assertThat(read.err()).isEmpty();
        assertThat(read.out()).contains("\"outcome\" : \"INCONCLUSIVE\"");
        assertThat(read.status()).isEqualTo(written.status()).isEqualTo(2);
    }

    @Test
    void writesAPageWithItsScripts() throws Exception {
        Answer answer = run(LEAK, "page", "-", "-o", "page.html");

        assertThat(answer.err()).isEmpty();
        assertThat(folder.resolve("page.html")).content().contains("<script", "901152");
    }

    /** A step that adds classes to the jar later gives them the time of the build, so that two builds differ. */
    @Test
    void holdsAllItsOwnClassesWithOneTime() throws Exception {
        try (ZipFile jar = new ZipFile(PackagedProgram.RUNNABLE_JAR.toFile())) {
            assertThat(jar.stream().filter(entry -> entry.getName().startsWith("dev/meshguard/")))
                    .hasSizeGreaterThan(500)
                    .extracting(ZipEntry::getTimeLocal)
                    .containsOnly(jar.getEntry("META-INF/MANIFEST.MF").getTimeLocal());
        }
    }

    // The launchers

    @Test
    @EnabledOnOs(OS.WINDOWS)
    void theBatchFileAnswersLikeTheJar() throws Exception {
        PackagedProgram batch = PackagedProgram.ofCommand(
                folder,
                PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard.bat").toString());

        assertThat(batch.run(LEAK, "analyze", "-")).isEqualTo(run(LEAK, "analyze", "-"));
        assertThat(batch.run("", "analyze", "two words")).isEqualTo(run("", "analyze", "two words"));
    }

    static Stream<List<String>> commandLines() {
        return Stream.of(
                List.of("analyze", "-"),
                List.of("analyze", "a log.txt", "", "two  blanks * \"quoted\" $HOME `x` \\"),
                List.of("--version"),
                List.of());
    }

    @ParameterizedTest
    @MethodSource("commandLines")
    void answersLikeTheJar(List<String> line) throws Exception {
        Files.writeString(folder.resolve("a log.txt"), LEAK);
        String[] arguments = line.toArray(String[]::new);

        assertThat(start().run(LEAK, arguments))
                .isEqualTo(PackagedProgram.ofJar(folder).run(LEAK, arguments));
    }

    @Test
    void findsTheJarThroughALinkToIt() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("mg"), launcher());

        assertThat(PackagedProgram.ofCommand(folder, link.toString())
                        .run("", "--version")
                        .status())
                .isZero();
    }

    @Test
    void aSignalToItsProcessEndsTheRecordedProgramAndPrintsItsVerdict() throws Exception {
        Path started = folder.resolve("started");
        Path out = folder.resolve("out");
        Process program = start().builder(
                        "record", "--without-page", "--", "sh", "-c", "echo > '" + started + "'; exec cat")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        while (program.isAlive() && !Files.exists(started)) {
            Thread.onSpinWait();
        }
        // Unlike the process, its handle leaves the input open, without which the recorded program would end by itself.
        assertThat(program.toHandle().destroy()).isTrue();

        assertThat(program.waitFor()).isEqualTo(143);
        assertThat(out).content().startsWith("INCONCLUSIVE  ").contains("as after signal 15");
    }

    @Test
    void readsAFileWithOneThreadForTheCollector() throws Exception {
        assertThat(startWithEcho().run("", "analyze", "server.log").out())
                .contains("-XX:+UseSerialGC ", "-XX:FreqInlineSize=50 ");
    }

    /** Java rejects two collectors, and options on its command line win over those of the environment. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseParallelGC", "-XX:FreqInlineSize=325", "@options"})
    void leavesTheOptionsThatTheUserMayHaveChosen(String options) throws Exception {
        PackagedProgram program = startWithEcho().with(PackagedProgram.OPTIONS, options);

        assertThat(program.run("", "analyze", "server.log").out()).startsWith("-jar ");
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

    private Answer run(String input, String... arguments) throws Exception {
        return PackagedProgram.ofJar(folder).run(input, arguments);
    }

    private PackagedProgram start() throws IOException {
        return PackagedProgram.ofCommand(folder, launcher().toString());
    }

    /** Returns the launcher in a folder beside its jar. */
    private static Path launcher() throws IOException {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "sh"))),
                "There is no sh on the PATH, so the launcher is not tested");
        Path launcher = parent.resolve("with  blanks").resolve("meshguard");
        if (Files.notExists(launcher)) {
            Files.createDirectory(launcher.getParent());
            Files.copy(PackagedProgram.RUNNABLE_JAR, launcher.resolveSibling("meshguard.jar"));
            Files.copy(PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard"), launcher);
            Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        }
        return launcher;
    }

    /** Returns the launcher with a Java that prints its arguments. */
    private PackagedProgram startWithEcho() throws IOException {
        Path java = Files.createDirectories(folder.resolve("echo/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$*\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        return start().with("JAVA_HOME", folder.resolve("echo").toString());
    }
}
