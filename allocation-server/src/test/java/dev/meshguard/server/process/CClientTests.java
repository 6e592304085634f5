package dev.meshguard.server.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs in C report with {@code clients/c/meshguard.h}. */
@Timeout(240)
class CClientTests {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final ClientProgram PROGRAM = new ClientProgram(
            Path.of("src/test/resources/dev/meshguard/server/process/causes.c").toAbsolutePath(), "%s(void) {");

    @TempDir
    private static Path build;

    @TempDir
    private Path folder;

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
                        "-O1",
                        "-I",
                        Path.of("..", "clients", "c").toString(),
                        "-o",
                        executable(),
                        PROGRAM.source().toString(),
                        "-pthread")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(gcc.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(gcc.waitFor()).isZero();
    }

    private static String executable() {
        return build.resolve("causes").toString();
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
        try (TrackedProcess program = start("exits_with_3")) {
            assertThat(program.await(TIMEOUT)).isEqualTo(3);

            PROGRAM.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "unexplained");
        }
    }

    @Test
    void whatIsFreedAtExitIsFreed() throws Exception {
        assertThat(verdictOf("frees_at_exit").outcome()).isEqualTo(Outcome.LEAK_FREE);
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
    void aReportThatCannotBeIsLostAndDoesNotFailTheProgram() throws Exception {
        try (TrackedProcess program = start("impossible")) {
            assertThat(program.await(TIMEOUT)).as(program::output).isZero();

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().history().lostReports().stream()
                            .mapToLong(HistoryEvent.ReportsLost::count)
                            .sum())
                    .isEqualTo(3);
        }
    }

    @Test
    void aForkReportsOverAConnectionOfItsOwn() throws Exception {
        try (TrackedProcess program = start("forks")) {
            program.await(TIMEOUT);

            PROGRAM.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "forks");
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
    void threadsReportTogetherAndLoseNothing() throws Exception {
        LeakVerdict verdict = verdictOf("threads");

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors().stream()
                        .map(survivor ->
                                survivor.buffer().request().details().label().orElseThrow()))
                .containsExactlyInAnyOrder("thread 0", "thread 1", "thread 2", "thread 3");
    }

    @Test
    void labelsStayRightWhenThereAreMoreThanTheClientRemembers() throws Exception {
        LeakVerdict verdict = verdictOf("labels");

        List<Allocated> reports = verdict.history().events(Allocated.class);
        assertThat(reports)
                .hasSize(20_000)
                .allSatisfy(report -> assertThat(report.request().details().label())
                        .contains(report.device() == 1 ? "kept" : "label " + report.address() / 64));
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
                .containsExactly("[MeshGuard] Warning: no server at " + socket
                        + ", so nothing more is reported: No such file or directory");
    }

    @Test
    void anOldServerGivesNoAnswerAndIsNamedOnce() throws Exception {
        Path socket = folder.resolve("old.sock");
        try (ServerSocketChannel old = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            old.bind(UnixDomainSocketAddress.of(socket));

            assertThat(run("threads", socket.toString()))
                    .containsExactly(
                            "[MeshGuard] Warning: no server at " + socket
                                    + ", so nothing more is reported: it does not answer MeshGuard's clients, as an old server");
        }
    }

    @Test
    void aServerThatEndsDoesNotEndTheProgram() throws Exception {
        try (TrackedProcess program = start("threads")) {
            program.awaitConnection(TIMEOUT);

            program.server().close();

            assertThat(program.await(TIMEOUT)).as(program::output).isZero();
        }
    }

    // Helpers

    private static TrackedProcess start(String function) throws IOException {
        return TrackedProcess.command(executable(), function).start();
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
        ProcessBuilder builder = new ProcessBuilder(executable(), function)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("MESHGUARD_SOCKET", socket);
        builder.environment().remove("TT_ALLOC_TRACKING_ENABLED");
        Process process = builder.start();
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(output);
    }
}
