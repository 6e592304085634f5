package dev.meshguard.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.cli.WrittenDatabase;
import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code java -jar meshguard.jar}: each test needs a part of the jar that other tests have on their class path. */
@Timeout(120)
class RunnableJarTests {

    static final String LEAK =
            "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\nAllocation Server stopped\n";

    @TempDir
    Path folder;

    @Test
    void namesTheVersionInItsManifest() throws Exception {
        Answer answer = run("", "--version");

        assertThat(answer.status()).isZero();
        assertThat(answer.out()).matches("meshguard \\d+\\.\\d+\\.\\d+.*\\R");
    }

    @Test
    void readsADatabaseWithItsNativeLibraryInLittleMemory() throws Exception {
        WrittenDatabase.write(folder.resolve("of a run.sqlite"), "db.sql");

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

    @Test
    @EnabledOnOs(OS.WINDOWS)
    void theBatchFileAnswersLikeTheJar() throws Exception {
        PackagedProgram batch = PackagedProgram.ofCommand(
                folder,
                PackagedProgram.RUNNABLE_JAR.resolveSibling("meshguard.bat").toString());

        assertThat(batch.run(LEAK, "analyze", "-")).isEqualTo(run(LEAK, "analyze", "-"));
        assertThat(batch.run("", "analyze", "two words")).isEqualTo(run("", "analyze", "two words"));
    }

    private Answer run(String input, String... arguments) throws Exception {
        return PackagedProgram.ofJar(folder).run(input, arguments);
    }
}
