package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the clients in all languages: the same program reports the same. */
@Timeout(240)
abstract class ClientContract {

    static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final ClientProgram source;
    private final List<String> command;
    private final Map<String, String> environment;
    private final String missingFile;

    @TempDir
    Path folder;

    /** Creates the tests of a program; its last argument is the name of a function. The language has words for a missing file. */
    ClientContract(ClientProgram source, List<String> command, Map<String, String> environment, String missingFile) {
        this.missingFile = missingFile;
        this.source = source;
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
    }

    static Stream<Cause> causes() {
        return ClientProgram.causes();
    }

    @ParameterizedTest
    @MethodSource("causes")
    void eachCauseIsFoundWithItsLine(Cause cause) throws Exception {
        String function = ClientProgram.nameOf(cause);

        LeakVerdict verdict = verdictOf(function);

        source.assertOnlyCause(verdict, cause, function);
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
        try (TrackedProcess program = start("exits_with_3")) {
            assertThat(program.await(TIMEOUT)).isEqualTo(3);

            source.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "unexplained");
        }
    }

    /** A gap in the numbers, and reports that cannot be. */
    @ParameterizedTest
    @CsvSource({
        "nothing, LEAK_FREE, 0",
        "frees_and_ends_at_once, LEAK_FREE, 0",
        "gap, INCONCLUSIVE, 3",
        "impossible, INCONCLUSIVE, 3"
    })
    void lostReportsAloneMakeTheVerdictOfACleanProgramInconclusive(String function, Outcome outcome, long lost)
            throws Exception {
        try (TrackedProcess program = start(function)) {
            assertThat(program.await(TIMEOUT)).as(program::output).isZero();

            assertThat(program.verdict().outcome()).isEqualTo(outcome);
            assertThat(program.verdict().history().lostReports().stream()
                            .mapToLong(HistoryEvent.ReportsLost::count)
                            .sum())
                    .isEqualTo(lost);
        }
    }

    /** Parent and child use one address. */
    @Test
    void aForkReportsOverAConnectionOfItsOwn() throws Exception {
        try (TrackedProcess program = start("forks")) {
            program.await(TIMEOUT);

            source.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "forks");
            assertThat(program.output()).isEmpty();
            assertThat(program.server().connections()).hasSize(2);
            assertThat(program.verdict().survivors().get(0).buffer().processId().orElseThrow())
                    .isNotEqualTo(program.pid());
        }
    }

    @Test
    void aLabelArrivesWithItsQuotesAndIsCutBetweenCharacters() throws Exception {
        assertThat(verdictOf("text").survivors())
                .singleElement()
                .satisfies(survivor -> assertThat(
                                survivor.buffer().request().details().label())
                        .contains("\"quoted\" \\ \t" + "x".repeat(987) + "é"));
    }

    @Test
    void aServerThatIsNotThereIsNamedOnceAndMissesTheProcess() throws Exception {
        Path socket = folder.resolve("none.sock");

        assertUnheard("threads", socket, missingFile);
    }

    @Test
    void anOldServerGivesNoAnswerAndIsNamedOnce() throws Exception {
        Path socket = folder.resolve("old.sock");
        try (ServerSocketChannel old = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            old.bind(UnixDomainSocketAddress.of(socket));
            CompletableFuture<Void> rejects = CompletableFuture.runAsync(() -> hangUpAfterHello(old));

            assertUnheard("threads", socket, "it does not answer, as an old server or one that hangs");
            rejects.join();
        }
    }

    /** A full backlog is no refusal: a client waits until the server accepts. */
    @Test
    void aServerThatAcceptsNobodyMissesTheProcess() throws Exception {
        Path socket = folder.resolve("full.sock");
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel full = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            full.bind(UnixDomainSocketAddress.of(socket), 1);
            boolean isAccepted = true;
            while (isAccepted) {
                SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
                waiting.add(one);
                one.configureBlocking(false);
                isAccepted = connects(one, socket);
            }

            assertUnheard("nothing_for_a_second", socket, "it does not answer, as an old server or one that hangs");
        } finally {
            for (SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    @Test
    void withoutAServerAProgramRunsAsEverAndIsSilent() throws Exception {
        assertThat(run("unexplained", "")).isEmpty();
    }

    @Test
    void threadsReportTogetherAndLoseNothing() throws Exception {
        LeakVerdict verdict = verdictOf("threads");

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().stream()
                        .map(survivor ->
                                survivor.buffer().request().details().label().orElseThrow()))
                .containsExactlyInAnyOrder("thread 0", "thread 1", "thread 2", "thread 3");
    }

    // Helpers

    /** Asserts that a program names a server that does not receive its reports, once, and the file of unheard processes the program. */
    private void assertUnheard(String function, Path socket, String reason) throws IOException, InterruptedException {
        assertThat(run(function, socket.toString()))
                .containsExactly(
                        "[MeshGuard] Warning: no server at " + socket + ", so nothing more is reported: " + reason);
        assertThat(socket.resolveSibling(socket.getFileName() + ".unheard"))
                .content()
                .matches("\\d+\n");
    }

    private static void hangUpAfterHello(ServerSocketChannel server) {
        try (SocketChannel connection = server.accept()) {
            connection.read(ByteBuffer.allocate(1024));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean connects(SocketChannel channel, Path socket) throws IOException {
        try {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException full) {
            return false;
        }
    }

    final TrackedProcess start(String function) throws IOException {
        TrackedProcess.Builder builder = TrackedProcess.command(commandOf(function));
        environment.forEach(builder::environment);
        return builder.start();
    }

    private String[] commandOf(String function) {
        return Stream.concat(command.stream(), Stream.of(function)).toArray(String[]::new);
    }

    final LeakVerdict verdictOf(String function) throws IOException, InterruptedException {
        try (TrackedProcess program = start(function)) {
            program.await(TIMEOUT);
            return program.verdict();
        }
    }

    /** Returns what a program reported, which takes less time than to judge it. */
    final AllocationHistory historyOf(String function) throws IOException, InterruptedException {
        try (TrackedProcess program = start(function)) {
            program.await(TIMEOUT);
            program.close();
            return program.tracker().history();
        }
    }

    /** Runs a program without {@code TrackedProcess}; returns the lines that it printed. */
    final List<String> run(String function, String socket) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process =
                command(function, socket).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(output);
    }

    /** Returns a program that reports to a socket. */
    final ProcessBuilder command(String function, String socket) {
        ProcessBuilder builder = new ProcessBuilder(commandOf(function)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("MESHGUARD_SOCKET", socket);
        builder.environment().remove("TT_ALLOC_TRACKING_ENABLED");
        return builder;
    }
}
