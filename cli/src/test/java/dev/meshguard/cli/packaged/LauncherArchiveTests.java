package dev.meshguard.cli.packaged;

import static dev.meshguard.cli.packaged.InstalledLauncher.FROM_ARCHIVE;
import static dev.meshguard.cli.packaged.InstalledLauncher.FROM_JAR;
import static dev.meshguard.cli.packaged.InstalledLauncher.awaitArchive;
import static dev.meshguard.cli.packaged.InstalledLauncher.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.cli.packaged.InstalledLauncher.SourcedAnswer;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The class archives of the launcher {@code meshguard}: when it makes one, and when it does not use one. A small program stands for the jar. */
@Timeout(600)
class LauncherArchiveTests {

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

    private static final String INPUT = "four";
    private static final Answer ANSWER = new Answer(0, "analyze -: 4 B\n", "");

    @TempDir
    static Path parent;

    @SuppressWarnings("NullAway.Init")
    private static InstalledLauncher installed;

    private static Path archive = Path.of("");

    @TempDir
    Path folder;

    private Path cache = Path.of("");

    @BeforeAll
    static void installAndMakeAnArchive() throws Exception {
        InstalledLauncher.assumeAShell();
        Path jar = EchoProgram.writeJar(parent.resolve("echo.jar"));
        installed = InstalledLauncher.in(
                Files.createDirectory(parent.resolve("installed")), jar, EchoProgram.class.getName());
        archive = installed.makeArchive(parent);
    }

    @BeforeEach
    void nameAnEmptyCache() {
        cache = folder.resolve("caches/meshguard");
    }

    // Unusable archives

    @ParameterizedTest
    @EnumSource
    void startsFromTheJarWhereTheArchiveIsDamaged(Damage damage) throws Exception {
        byte[] damaged = damage.to(Files.readAllBytes(archive));
        markAnAttempt();

        putArchive(damaged);

        SourcedAnswer answer = runWithSource();

        assertThat(answer.answer()).isEqualTo(ANSWER);
        assertThat(answer.source()).startsWith(FROM_JAR);
    }

    @Test
    void makesADamagedArchiveAgain() throws Exception {
        putArchive(Damage.CHANGED.to(Files.readAllBytes(archive)));

        run();

        assertThat(awaitArchive(cache)).isRegularFile();
        assertThat(sourceOfClasses()).isEqualTo(FROM_ARCHIVE);
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

        SourcedAnswer answer = runWithSource();

        assertThat(answer.answer()).isEqualTo(ANSWER);
        assertThat(answer.source()).startsWith(FROM_JAR);
        assertThat(validName).exists();
    }

    @Test
    void makesAnArchiveOfAJarThatWasReplacedAndDeletesTheOldOne() throws Exception {
        Path old = putArchive(Files.readAllBytes(archive));
        String name = old.getFileName().toString();
        Path ofOldJar = Files.move(old, cache.resolve(name.replaceFirst("-", "-1")));

        assertThat(sourceOfClasses()).startsWith(FROM_JAR);
        assertThat(awaitArchive(cache)).isNotEqualTo(ofOldJar);
        assertThat(sourceOfClasses()).isEqualTo(FROM_ARCHIVE);
    }

    @Test
    void doesNotReadTheFolderOfAnotherUser() throws Exception {
        putArchive(Files.readAllBytes(archive));
        assumeTrue(isGivenAway(cache), "Only root can give a folder to another user, so that is not tried");

        assertThat(sourceOfClasses()).startsWith(FROM_JAR);
    }

    // Concurrent starts

    @Test
    void twoStartsAtOnceAnswerAndMakeOneArchive() throws Exception {
        Path out = folder.resolve("out");
        Path otherOut = folder.resolve("otherOut");
        Process one = started(out);
        Process other = started(otherOut);

        assertThat(one.waitFor()).isZero();
        assertThat(other.waitFor()).isZero();
        assertThat(out).content().isEqualTo("--version: 0 B\n");
        assertThat(otherOut).content().isEqualTo("--version: 0 B\n");
        Path made = awaitArchive(cache);
        assertThat(names(cache)).containsExactly(made.getFileName().toString());
    }

    @Test
    void anAttemptThatFailedIsRepeatedAfterADay() throws Exception {
        Path attempt = markAnAttempt();
        run();
        assertThat(names(cache)).containsExactly(attempt.getFileName().toString());
        Files.setLastModifiedTime(attempt, FileTime.fromMillis(System.currentTimeMillis() - TimeUnit.DAYS.toMillis(2)));

        run();

        assertThat(awaitArchive(cache)).isRegularFile();
        assertThat(attempt).doesNotExist();
    }

    private PackagedProgram start() {
        return installed.startIn(folder, cache.getParent());
    }

    private Answer run() throws Exception {
        return start().run(INPUT, "analyze", "-");
    }

    private SourcedAnswer runWithSource() throws Exception {
        return installed.runWithSource(start(), folder, INPUT, "analyze", "-");
    }

    private String sourceOfClasses() throws Exception {
        return runWithSource().source();
    }

    private Process started(Path out) throws IOException {
        ProcessBuilder builder = start().builder("--version").redirectErrorStream(true);
        Process process = builder.redirectOutput(out.toFile()).start();
        process.getOutputStream().close();
        return process;
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
}
