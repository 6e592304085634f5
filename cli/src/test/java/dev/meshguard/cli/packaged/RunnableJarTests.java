package dev.meshguard.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
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

    static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\n";

    /** {@link #ALLOCATED}, compressed by {@code zstd}. */
    private static final String COMPRESSED =
            "KLUv/SBGMQIA4pyTIFtQSUQgN10gQWxsb2NhdGVkIDQwOTYgYnl0ZXMgb2YgTDEgb24gZGV2aWNlIDAgKGJ1ZmZlcl9pZD05MDExNTIpCg==";

    @TempDir
    Path folder;

    @Test
    void namesTheVersionInItsManifest() throws Exception {
        Answer answer = run("", "--version");

        assertThat(answer.status()).isZero();
        assertThat(answer.out()).matches("meshguard \\d+\\.\\d+\\.\\d+.*\\R");
    }

    @Test
    void judgesALog() throws Exception {
        Answer answer = run(ALLOCATED, "analyze", "-");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains("LEAK  4 KiB in 1 L1 buffer");
        assertThat(answer.status()).isEqualTo(1);
    }

    @Test
    void decompressesALogWithItsNativeLibrary() throws Exception {
        Files.write(folder.resolve("server.log.zst"), Base64.getDecoder().decode(COMPRESSED));

        Answer answer = run("", "analyze", "server.log.zst");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.status()).isEqualTo(1);
    }

    @Test
    void writesAndReadsADatabaseWithItsNativeLibrary() throws Exception {
        Answer written = run(ALLOCATED, "convert", "--to", "report_database", "-", "-o", "of a run.sqlite");
        Answer page = run("", "page", "--rank", "0", "of a run.sqlite");

        assertThat(written.status()).isZero();
        assertThat(page).isEqualTo(new Answer(0, "of-a-run.sqlite.html\n", ""));
        assertThat(folder.resolve("of-a-run.sqlite.html")).isNotEmptyFile();
    }

    @Test
    void writesAndReadsAHistory() throws Exception {
        Answer written = run(ALLOCATED, "convert", "-", "-o", "run.jsonl");
        Answer read = run("", "analyze", "--json", "run.jsonl");

        assertThat(written).isEqualTo(new Answer(0, written.out(), ""));
        assertThat(read.err()).isEmpty();
        assertThat(read.out()).contains("\"outcome\" : \"LEAKED\"");
        assertThat(read.status()).isEqualTo(1);
    }

    @Test
    void writesAPageWithItsScripts() throws Exception {
        Answer answer = run(ALLOCATED, "page", "-", "-o", "page.html");

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

        assertThat(batch.run(ALLOCATED, "analyze", "-")).isEqualTo(run(ALLOCATED, "analyze", "-"));
        assertThat(batch.run("", "analyze", "two words")).isEqualTo(run("", "analyze", "two words"));
    }

    private Answer run(String input, String... arguments) throws Exception {
        return PackagedProgram.ofJar(folder).run(input, arguments);
    }
}
