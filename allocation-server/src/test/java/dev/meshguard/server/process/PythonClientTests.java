package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.BufferedReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                Map.of("PYTHONPATH", CLIENT.toString(), "PYTHONDONTWRITEBYTECODE", "1"),
                "[Errno 2] No such file or directory");
    }

    @BeforeAll
    static void needsPython() throws Exception {
        ClientTool.PYTHON.require();
    }

    @Test
    void aReportThatCannotBeSentIsNamedOnce() throws Exception {
        try (TrackedProcess program = start("impossible")) {
            assertThat(program.await(TIMEOUT)).as(program::output).isZero();
            program.close();

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

    /** A program and its fork that call _exit, finalisers, and globals that die after the end of the program. */
    @ParameterizedTest
    @CsvSource({
        "frees_without_flush_and_ends_at_once, LEAK_FREE",
        "leaks_and_ends_at_once, LEAKED",
        "finalisers, LEAK_FREE",
        "globals_that_die, LEAK_FREE"
    })
    void everythingIsReportedHoweverTheProgramEnds(String function, Outcome expected) throws Exception {
        assertThat(verdictOf(function).outcome()).isEqualTo(expected);
    }

    /** A program that starts others, and processes that begin at once. */
    @ParameterizedTest
    @CsvSource({"subprograms, 2", "burst, 64"})
    void allProcessesReport(String function, int survivors) throws Exception {
        assertThat(verdictOf(function).survivors()).hasSize(survivors);
    }

    @Test
    void membersOfTwoEnumerationsMayHaveOneNumber() throws Exception {
        assertThat(verdictOf("enumerations").outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aCallThatASignalInterruptsAnywhereReportsOnce() throws Exception {
        try (TrackedProcess program = start("interrupted")) {
            assertThat(program.await(TIMEOUT)).as(program::output).isZero();

            int calls = Integer.parseInt(program.output().strip());
            assertThat(calls).isGreaterThan(50);
            assertThat(program.verdict().history().events(HistoryEvent.Allocated.class).stream()
                            .filter(report -> report.device() == 0)
                            .map(report -> report.address() / 64))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, calls).boxed().toList());
        }
    }

    /** The client fills the socket meanwhile, and keeps what has no room in it. */
    @Test
    void aServerThatPausesMissesNothing() throws Exception {
        Path socket = folder.resolve("pause.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Process program =
                    command("reports_while_the_server_waits", socket.toString()).start();
            try (SocketChannel connection = server.accept();
                    BufferedReader output = program.inputReader(StandardCharsets.UTF_8);
                    BufferedReader lines = new BufferedReader(Channels.newReader(connection, StandardCharsets.UTF_8))) {
                assertThat(lines.readLine()).startsWith("{\"op\":\"hello\",\"version\":1,\"pid\":");
                connection.write(ByteBuffer.wrap("{\"ok\":1}\n".getBytes(StandardCharsets.UTF_8)));
                assertThat(output.readLine()).isEqualTo("reported");

                List<String> rest = lines.lines().toList();

                assertThat(rest.stream()
                                .filter(line -> line.startsWith("{\"op\":\"alloc\""))
                                .map(line -> Integer.parseInt(line.replaceAll(".*\"n\":(\\d+).*", "$1"))))
                        .containsExactlyElementsOf(
                                IntStream.rangeClosed(1, 2_000).boxed().toList());
                assertThat(rest.get(rest.size() - 1)).isEqualTo("{\"op\":\"bye\",\"n\":2000}");
            }
        }
    }

    // pytest

    @Test
    void pytestThatDoesNotFindThePluginGetsTheRightCommand() throws Exception {
        Path pytest = Files.createSymbolicLink(folder.resolve("pytest"), Path.of("/bin/false"));
        try (TrackedProcess program = TrackedProcess.start(pytest.toString(), "-p", "meshguard")) {
            program.await(TIMEOUT);

            assertThat(program.notes().get(1))
                    .contains("Start it as python3 -m pytest: pytest alone finds no plugin in the working directory.");
        }
    }

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
