package dev.meshguard.cli.packaged;

import static dev.meshguard.cli.packaged.RunnableJarTests.LEAK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.ProcessWait;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher {@code meshguard} beside the jar. */
@Timeout(600)
class LauncherTests {

    @TempDir
    static Path parent;

    private static Path launcher = Path.of("");

    @TempDir
    Path folder;

    @BeforeAll
    static void install() throws IOException {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "sh"))),
                "There is no sh on the PATH, so the launcher is not tested");
        Path installed = Files.createDirectory(parent.resolve("with  blanks"));
        Files.copy(PackagedProgram.RUNNABLE_JAR, installed.resolve("meshguard.jar"));
        launcher = Files.copy(PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard"), installed.resolve("meshguard"));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
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
        Path link = Files.createSymbolicLink(parent.resolve("mg"), launcher);

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
        ProcessWait.until(program, () -> Files.exists(started));
        program.destroy();

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

    private PackagedProgram start() {
        return PackagedProgram.ofCommand(folder, launcher.toString());
    }

    /** Returns the launcher with a Java that prints its arguments. */
    private PackagedProgram startWithEcho() throws IOException {
        Path java = Files.createDirectories(folder.resolve("echo/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$*\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
        return start().with("JAVA_HOME", folder.resolve("echo").toString());
    }
}
