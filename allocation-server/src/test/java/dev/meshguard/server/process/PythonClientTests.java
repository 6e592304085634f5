package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Programs in Python report with {@code clients/python/meshguard.py}. */
class PythonClientTests extends ClientContract {

    private static final Path CLIENT =
            Path.of("..", "clients", "python").toAbsolutePath().normalize();
    private static final ClientProgram PROGRAM = new ClientProgram(
            Path.of("src/test/resources/dev/meshguard/server/process/causes.py").toAbsolutePath(), "def %s():");

    PythonClientTests() {
        super(
                PROGRAM,
                List.of("python3", PROGRAM.source().toString()),
                Map.of("PYTHONPATH", CLIENT.toString(), "PYTHONDONTWRITEBYTECODE", "1"));
    }

    @BeforeAll
    static void needsPython() throws Exception {
        ClientTool.PYTHON.require();
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
    void aWorkerOfMultiprocessingEndsInOrder() throws Exception {
        PROGRAM.assertOnlyCause(verdictOf("pool"), Cause.UNEXPLAINED, "unexplained");
    }

    @Test
    void eachProgramThatAProgramStartsIsJudgedWithIt() throws Exception {
        assertThat(verdictOf("subprograms").survivors()).hasSize(2);
    }

    // Without a server of MeshGuard

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
}
