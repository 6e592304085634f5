package dev.meshguard.server.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs in C report with {@code clients/c/meshguard.h}. */
class CClientTests extends ClientContract {

    private static final ClientProgram PROGRAM = new ClientProgram(
            Path.of("src/test/resources/dev/meshguard/server/process/causes.c").toAbsolutePath(), "%s(void) {");

    @TempDir
    private static Path build;

    CClientTests() {
        super(PROGRAM, List.of(executable()), Map.of(), "No such file or directory");
    }

    @BeforeAll
    static void compile() throws Exception {
        ClientTool.GCC.require();
        Process gcc = new ProcessBuilder(
                        "gcc",
                        "-std=c99",
                        "-pedantic",
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-O2",
                        "-I",
                        Path.of("..", "clients", "c").toString(),
                        "-o",
                        executable(),
                        PROGRAM.source().toString(),
                        "-pthread",
                        "-rdynamic",
                        "-ldl")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(gcc.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(gcc.waitFor()).isZero();
    }

    private static String executable() {
        return build.resolve("causes").toString();
    }

    /** A leak right before the program ends at once is never clean; what functions of atexit and destructors free is freed. */
    @ParameterizedTest
    @CsvSource({"leaks_and_ends_at_once, INCONCLUSIVE", "frees_at_exit, LEAK_FREE", "frees_in_a_destructor, LEAK_FREE"})
    void whatIsReportedAtTheEndCounts(String function, Outcome expected) throws Exception {
        assertThat(verdictOf(function).outcome()).isEqualTo(expected);
    }

    @Test
    void linesStayRightWhenThereAreMoreThanTheClientRemembers() throws Exception {
        List<Allocated> reports = historyOf("lines").events(Allocated.class);

        assertThat(reports).hasSize(20_000);
        assertThat(reports.stream()
                        .map(report -> report.request().origin().orElseThrow().frames().stream()
                                .map(StackTraceElement::getLineNumber)
                                .toList()))
                .containsExactlyElementsOf(reports.stream()
                        .map(report -> List.of(report.device() == 1 ? 1 : (int) report.address() / 64))
                        .toList());
    }

    @Test
    void noOtherThreadReportsBetweenTheLinesOfASnapshot() throws Exception {
        AllocationHistory history = historyOf("snapshots_beside_reports");

        assertThat(history.lostReports()).isEmpty();
        assertThat(history.events(HistoryEvent.Witnessed.class)).hasSize(200);
    }

    @Test
    void aServerThatEndsDoesNotEndTheProgram() throws Exception {
        try (TrackedProcess program = start("threads")) {
            program.server().await(connections -> !connections.isEmpty(), TIMEOUT);

            program.server().close();

            assertThat(program.await(TIMEOUT)).as(program::output).isZero();
        }
    }
}
