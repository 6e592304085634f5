package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs in Python report with {@code clients/python/meshguard.py}. */
@Timeout(240)
class PythonClientTests {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Path CLIENT =
            Path.of("..", "clients", "python").toAbsolutePath().normalize();
    private static final ClientProgram PROGRAM = new ClientProgram(
            Path.of("src/test/resources/dev/meshguard/server/process/causes.py").toAbsolutePath(), "def %s():");

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsPython() throws Exception {
        ClientTool.PYTHON.require();
    }

    static Stream<Cause> causes() {
        return ClientProgram.causes();
    }

    @ParameterizedTest
    @MethodSource("causes")
    void eachCauseIsFoundWithItsLine(Cause cause) throws Exception {
        String function = ClientProgram.nameOf(cause);

        LeakVerdict verdict = verdictOf(function);

        PROGRAM.assertOnlyCause(verdict, cause, function);
    }

    @Test
    void aProgramThatFreesEverythingIsLeakFree() throws Exception {
        assertThat(verdictOf("nothing").outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aLeakHasTheLabelAndThePhaseOfTheProgram() throws Exception {
        LeakVerdict verdict = verdictOf("unexplained");

        assertThat(verdict.survivors()).singleElement().satisfies(survivor -> {
            assertThat(survivor.buffer().request().details().label()).contains("kv-cache");
            assertThat(survivor.buffer().allocatedIn()).isEqualTo(new Phase("decode"));
        });
    }

    @Test
    void aProgramThatExitsWithAnErrorInOrderHasNotDied() throws Exception {
        try (TrackedProcess program = start("exception")) {
            assertThat(program.await(TIMEOUT)).isEqualTo(3);

            PROGRAM.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "unexplained");
        }
    }

    @Test
    void lostReportsMakeTheVerdictInconclusiveWithTheirNumber() throws Exception {
        LeakVerdict verdict = verdictOf("gap");

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.history().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.count()).isEqualTo(3));
    }

    @Test
    void aReportThatCannotBeSentDoesNotFailTheProgram() throws Exception {
        try (TrackedProcess program = start("impossible")) {
            assertThat(program.await(TIMEOUT)).as(program::output).isZero();

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().history().lostReports().stream()
                            .mapToLong(HistoryEvent.ReportsLost::count)
                            .sum())
                    .isEqualTo(3);
            assertThat(program.output().lines())
                    .singleElement()
                    .asString()
                    .startsWith("[MeshGuard] Warning: a report was not sent: ");
        }
    }

    @Test
    void aForkReportsOverAConnectionOfItsOwn() throws Exception {
        try (TrackedProcess program = start("fork")) {
            program.await(TIMEOUT);

            PROGRAM.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "fork");
            assertThat(program.server().connections()).hasSize(2);
            assertThat(program.verdict()
                            .survivors()
                            .get(0)
                            .buffer()
                            .request()
                            .details()
                            .processId()
                            .orElseThrow())
                    .isNotEqualTo(program.pid());
        }
    }

    @Test
    void aWorkerOfMultiprocessingEndsInOrder() throws Exception {
        PROGRAM.assertOnlyCause(verdictOf("pool"), Cause.UNEXPLAINED, "unexplained");
    }

    @Test
    void threadsReportTogether() throws Exception {
        LeakVerdict verdict = verdictOf("threads");

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().stream()
                        .map(survivor ->
                                survivor.buffer().request().details().label().orElseThrow()))
                .containsExactlyInAnyOrder("thread 0", "thread 1", "thread 2", "thread 3");
    }

    @Test
    void eachProgramThatAProgramStartsIsJudgedWithIt() throws Exception {
        assertThat(verdictOf("subprograms").survivors()).hasSize(2);
    }

    // Without a server of MeshGuard

    @Test
    void withoutAServerAProgramRunsAsEverAndIsSilent() throws Exception {
        assertThat(run("unexplained", "")).isEmpty();
    }

    @Test
    void aServerThatIsNotThereIsNamedOnce() throws Exception {
        Path socket = folder.resolve("none.sock");

        assertThat(run("threads", socket.toString()))
                .singleElement()
                .asString()
                .startsWith("[MeshGuard] Warning: no server at " + socket + ", so nothing is reported: ");
    }

    @Test
    void anOldServerGivesNoAnswerAndIsNamedOnce() throws Exception {
        Path socket = folder.resolve("old.sock");
        try (ServerSocketChannel old = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            old.bind(UnixDomainSocketAddress.of(socket));

            assertThat(run("threads", socket.toString()))
                    .containsExactly("[MeshGuard] Warning: no server at " + socket
                            + ", so nothing is reported: it does not answer MeshGuard's clients, as an old server");
        }
    }

    // pytest

    @Test
    void asAPluginOfPytestEachTestIsAPhaseAndSaysWhatItLeft() throws Exception {
        ClientTool.PYTEST.require();
        Files.writeString(folder.resolve("test_decode.py"), """
                import meshguard


                def load(address):
                    meshguard.allocated(0, "DRAM", address, 4096, label="weights")


                def test_leaks():
                    load(0x1000)
                    load(0x2000)


                def test_frees():
                    load(0x3000)
                    meshguard.freed(0, "DRAM", 0x3000)
                    meshguard.freed(0, "DRAM", 0x2000)
                """);
        try (TrackedProcess pytest = TrackedProcess.command(
                        "python3", "-m", "pytest", "-p", "meshguard", "-p", "no:cacheprovider", "-q")
                .directory(folder)
                .environment("PYTHONPATH", CLIENT.toString())
                .environment("PYTHONDONTWRITEBYTECODE", "1")
                .start()) {
            assertThat(pytest.await(TIMEOUT)).as(pytest::output).isZero();

            LeakVerdict verdict = pytest.verdict();
            assertThat(verdict.survivors()).singleElement().satisfies(survivor -> {
                assertThat(survivor.buffer().allocatedIn()).isEqualTo(new Phase("test_decode.py::test_leaks"));
                assertThat(survivor.buffer().request().origin().orElseThrow().frames())
                        .containsExactly(
                                new StackTraceElement("test_decode", "load", "test_decode.py", 5),
                                new StackTraceElement("test_decode", "test_leaks", "test_decode.py", 9));
            });
            assertThat(pytest.output()).contains("""
                            test_decode.py::test_leaks left 2 buffers, 8192 B
                                4096 B of DRAM on device 0 at 0x1000 "weights", allocated at test_decode.py:5
                                4096 B of DRAM on device 0 at 0x2000 "weights", allocated at test_decode.py:5, freed later
                            """);
            assertThat(pytest.output()).doesNotContain("test_frees left");
        }
    }

    // Helpers

    private static TrackedProcess start(String function) throws IOException {
        return TrackedProcess.command("python3", PROGRAM.source().toString(), function)
                .environment("PYTHONPATH", CLIENT.toString())
                .environment("PYTHONDONTWRITEBYTECODE", "1")
                .start();
    }

    private static LeakVerdict verdictOf(String function) throws IOException, InterruptedException {
        try (TrackedProcess program = start(function)) {
            program.await(TIMEOUT);
            return program.verdict();
        }
    }

    /** Runs a program without {@code TrackedProcess}; returns the lines that it printed. */
    private List<String> run(String function, String socket) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        new ArrayList<>(List.of("python3", PROGRAM.source().toString(), function)))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PYTHONPATH", CLIENT.toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().put("MESHGUARD_SOCKET", socket);
        builder.environment().remove("TT_ALLOC_TRACKING_ENABLED");
        Process process = builder.start();
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(output);
    }
}
