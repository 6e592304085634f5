package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Phase;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the clients in all languages: the same program reports the same. */
@Timeout(240)
abstract class ClientContract {

    static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final ClientProgram source;
    private final List<String> command;
    private final Map<String, String> environment;

    @TempDir
    Path folder;

    /** Creates the tests of a program; its last argument is the name of a function. */
    ClientContract(ClientProgram source, List<String> command, Map<String, String> environment) {
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

            source.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "unexplained");
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
    void aForkReportsOverAConnectionOfItsOwn() throws Exception {
        try (TrackedProcess program = start("forks")) {
            program.await(TIMEOUT);

            source.assertOnlyCause(program.verdict(), Cause.UNEXPLAINED, "forks");
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

    /** Runs a program without {@code TrackedProcess}; returns the lines that it printed. */
    final List<String> run(String function, String socket) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(commandOf(function))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("MESHGUARD_SOCKET", socket);
        builder.environment().remove("TT_ALLOC_TRACKING_ENABLED");
        Process process = builder.start();
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readAllLines(output);
    }
}
