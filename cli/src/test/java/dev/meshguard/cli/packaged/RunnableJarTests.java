package dev.meshguard.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.cli.packaged.PackagedProgram.Answer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
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

    /** A database whose second operation has freed the buffer of the first. */
    private static final List<String> DATABASE = List.of(
            "CREATE TABLE operations (operation_id int, name text, duration float)",
            "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int)",
            "CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int)",
            "CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int)",
            "CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text,"
                    + " device_id int, address int, buffer_type int)",
            "INSERT INTO operations VALUES (1, 'ttnn.matmul', 0.1), (2, 'ttnn.deallocate', 0.1)",
            "INSERT INTO tensors VALUES (7, '[]', 'BFLOAT16', 'TILE', '', 0, 1488896, 1)",
            "INSERT INTO input_tensors VALUES (2, 0, 7)",
            "INSERT INTO buffers VALUES (1, 0, 1488896, 2048, 1)");

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
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("of a run.sqlite"));
                Statement statement = connection.createStatement()) {
            for (String sql : DATABASE) {
                statement.execute(sql);
            }
        }

        Answer answer = runWith("-Xmx256m", "analyze", "of a run.sqlite");
        Answer page = run("", "page", "of a run.sqlite");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains("of a run.sqlite: 2 operations, 1 buffer in their snapshots");
        assertThat(answer.status()).isZero();
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

    private Answer runWith(String option, String... arguments) throws Exception {
        return PackagedProgram.ofJar(folder)
                .with(PackagedProgram.OPTIONS, option)
                .run("", arguments);
    }

    private Answer run(String input, String... arguments) throws Exception {
        return PackagedProgram.ofJar(folder).run(input, arguments);
    }
}
