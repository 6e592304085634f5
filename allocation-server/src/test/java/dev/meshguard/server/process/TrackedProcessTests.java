package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program is judged by its reports until its end, for each kind of end. */
@Timeout(120)
class TrackedProcessTests {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** How long a test waits for a program that does not end by itself. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    // Survivors

    /** Steps of the program; the causes of what it leaves; how it ended. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allocate 4096, free 4096                       | 0 |              | exited with status 0
            allocate 4096, allocate 8192, free 4096        | 0 | UNEXPLAINED  | exited with status 0
            allocate 4096, print lastWords, crash 3        | 3 | PROCESS_DIED | exited with status 3; it last printed: lastWords
            """)
    void whatIsLeftBeforeTheExitIsALeakAndAfterACrashADeath(
            String steps, int status, @Nullable Cause cause, String ending) throws Exception {
        try (TrackedProcess program = started(steps.split(", "))) {
            assertThat(program.await(TIMEOUT)).isEqualTo(status);

            assertThat(causes(program.verdict()))
                    .isEqualTo(Stream.ofNullable(cause).toList());
            assertThat(program.verdict().outcome()).isEqualTo(cause == null ? Outcome.LEAK_FREE : Outcome.LEAKED);
            assertThat(program.notes())
                    .containsExactly("process " + program.pid() + " (" + words(program) + ") " + ending);
        }
    }

    @Test
    void whatAKilledProgramLeavesIsLeftByTheDead() throws Exception {
        try (TrackedProcess program = started("allocate 4096", "hang")) {
            program.server().await(all -> all.stream().anyMatch(one -> one.reports() > 0), TIMEOUT);

            ProcessHandle.of(program.pid()).ifPresent(ProcessHandle::destroyForcibly);

            assertThat(program.await(TIMEOUT)).isEqualTo(137);
            assertThat(causes(program.verdict())).containsExactly(Cause.PROCESS_DIED);
            assertThat(program.notes().get(0)).contains("ended with status 137, as after signal 9");
        }
    }

    @Test
    void terminatesAChildThatOutlivesItsParentAndReportsItsBuffers() throws Exception {
        try (TrackedProcess program = TrackedProcess.command(
                        ReportingProgram.command("allocate 4096", "free 4096", "child allocate 8192"))
                .recordSize(RecordSize.BYTES_112)
                .timeToEnd(SHORT)
                .start()) {
            program.await(TIMEOUT);

            LeakVerdict verdict = program.verdict();

            assertThat(causes(verdict)).containsExactly(Cause.PROCESS_DIED);
            long child = verdict.survivors()
                    .get(0)
                    .buffer()
                    .request()
                    .details()
                    .processId()
                    .orElseThrow();
            assertThat(child).isNotEqualTo(program.pid());
            assertThat(program.notes()).contains("1 process that it started outlived it and was ended: " + child);
            assertThat(ProcessHandle.of(child).filter(ProcessHandle::isAlive)).isEmpty();
        }
    }

    @Test
    void nothingOfAFloodIsLost() throws Exception {
        try (TrackedProcess program = started("many 20000")) {
            program.await(TIMEOUT);

            program.close();

            assertThat(program.tracker().history().live()).hasSize(20_000);
            assertThat(program.tracker().history().lostReports()).isEmpty();
        }
    }

    // Inconclusive verdicts

    @Test
    void aProgramThatNeverConnectsProvesNothingAndTheNotesSayWhatToCheck() throws Exception {
        try (TrackedProcess program = TrackedProcess.start("sh", "-c", "echo done")) {
            program.await(TIMEOUT);

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.notes())
                    .containsExactly(
                            "process " + program.pid() + " (sh -c echo done) exited with status 0",
                            "it never connected to " + program.server().socketPath()
                                    + ". Does its runtime have the tracking built in, and does the program allocate on a device at all?"
                                    + " Does its client look for the socket in MESHGUARD_SOCKET? One that knows only the fixed path needs"
                                    + " ProcessSocket.DEFAULT_PATH. Is the environment handed on where it starts others, and is the"
                                    + " socket to be seen from inside a container?");
        }
    }

    @Test
    void aProcessThatCouldNotReportIsNamed() throws Exception {
        try (TrackedProcess program = TrackedProcess.start(
                "sh", "-c", "for i in 4711 4712 4711; do echo $i >> \"$MESHGUARD_SOCKET.unheard\"; done")) {
            program.await(TIMEOUT);

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().history().lostReports())
                    .extracting(HistoryEvent.ReportsLost::reason)
                    .containsExactly("processes 4711, 4712 could not report to the server");
        }
    }

    @Test
    void oneRecordAloneDoesNotProveItsSizeAndIsNotPassedOver() throws Exception {
        try (TrackedProcess program = TrackedProcess.start(ReportingProgram.command("allocate 4096"))) {
            program.await(TIMEOUT);

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.notes().get(1).replace("and waits", "and ended"))
                    .isEqualTo(
                            "its server: connection 1 sent 112 bytes, which may be a whole record or a part of a larger one, and ended: set it with recordSize(…), or with meshguard record --record-size 72, 112 or 144");
        }
    }

    // Handling of programs

    @Test
    void aProgramThatRunsIsNotJudged() throws Exception {
        try (TrackedProcess program = TrackedProcess.start("sleep", "100")) {
            assertThatThrownBy(program::verdict)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "process " + program.pid()
                                    + " (sleep 100) still runs, and may free what it has. Await it, or end() it, before you judge it.");
        }
    }

    @Test
    void aProgramThatIgnoresTheRequestToEndIsKilled() throws Exception {
        try (TrackedProcess program = TrackedProcess.command(
                        "sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 1; done")
                .timeToEnd(SHORT)
                .start()) {
            while (!program.output().contains("deaf")) {
                Thread.onSpinWait();
            }

            program.end();

            assertThat(program.notes().get(0)).contains("still ran and was ended; it ended with status 137");
        }
    }

    @Test
    void aFloodOfOutputFillsNoMemoryAndACopyThatFailsStopsNothing() throws Exception {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                throw new IOException("injected");
            }
        };
        String flood = "i=0; while [ $i -lt 60000 ]; do echo line $i; i=$((i+1)); done";
        try (TrackedProcess program =
                TrackedProcess.command("sh", "-c", flood).copyOutputTo(full).start()) {
            assertThat(program.await(TIMEOUT)).isZero();
            program.close();

            assertThat(program.output())
                    .startsWith("line 0\n")
                    .endsWith("line 59999\n")
                    .hasSizeLessThan(300_000);
        }
    }

    @Test
    void aProgramThatWasAwaitedHasAllItsOutput() throws Exception {
        CompletableFuture<TrackedProcess> started = new CompletableFuture<>();
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int one) {
                ProcessHandle.of(started.join().pid())
                        .ifPresent(running -> running.onExit().join());
            }
        };
        try (TrackedProcess program = TrackedProcess.command("sh", "-c", "read line; head -c 60000 /dev/zero")
                .copyOutputTo(slow)
                .start()) {
            started.complete(program);
            program.input().close();

            program.await(TIMEOUT);

            assertThat(program.output().length()).isEqualTo(60_000);
        }
    }

    @Test
    void theEnvironmentAndTheFolderAreAsSaid() throws Exception {
        try (TrackedProcess program = TrackedProcess.command(
                        "sh", "-c", "pwd; echo $LAYERS $TT_ALLOC_TRACKING_ENABLED $MESHGUARD_SOCKET")
                .directory(folder)
                .environment("LAYERS", "3")
                .start()) {
            program.await(TIMEOUT);
            program.close();

            assertThat(program.output())
                    .isEqualTo(folder.toRealPath() + "\n3 1 " + program.server().socketPath() + "\n");
        }
    }

    @Test
    void aCommandThatThereIsNotLeavesNothingBehind() throws Exception {
        assertThatThrownBy(() -> TrackedProcess.start(folder.resolve("nothing").toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nothing");
    }

    @Test
    void theSocketIsGoneWithTheProgram() throws Exception {
        TrackedProcess program = TrackedProcess.start("true");
        Path socket = program.server().socketPath();
        assertThat(socket).exists();

        program.close();
        program.close();

        assertThat(socket.getParent()).doesNotExist();
    }

    @Test
    void phasesAreThoseOfTheTest() throws Exception {
        try (TrackedProcesses programs = TrackedProcesses.create()) {
            programs.begin(Phase.TEST);
            TrackedProcess program = programs.command(ReportingProgram.command("allocate 4096"))
                    .recordSize(RecordSize.BYTES_112)
                    .start();
            program.await(TIMEOUT);

            assertThat(program.verdict().survivors().get(0).buffer().allocatedIn())
                    .isEqualTo(Phase.TEST);
        }
    }

    // The fixed path

    @Test
    void theFixedPathHasOneProgramAtATime() throws Exception {
        Path socket = folder.resolve("fixed.sock");
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TrackedProcess mine = fixed(socket, TIMEOUT, "true")) {
            assertThatThrownBy(() -> fixed(socket, Duration.ZERO, "true"))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Another server has listened at " + socket
                            + " for 0 s. Only one program at a time can report there: run the tests that need it one after another,"
                            + " or start the program with ProcessSocket.PRIVATE if its client can use another path.");
            Future<TrackedProcess> waiting = other.submit(() -> fixed(socket, TIMEOUT, "true"));
            mine.close();

            try (TrackedProcess theirs = waiting.get()) {
                assertThat(theirs.server().socketPath()).isEqualTo(socket).exists();
            }
        } finally {
            other.shutdown();
        }
    }

    @Test
    void receivesReportsOfAProgramThatKnowsOnlyTheFixedPath() throws Exception {
        Path socket = folder.resolve("fixed.sock");
        try (TrackedProcess program = fixed(socket, TIMEOUT, ReportingProgram.command("allocate 4096"))) {
            program.await(TIMEOUT);

            assertThat(program.server().socketPath()).isEqualTo(socket);
            assertThat(causes(program.verdict())).containsExactly(Cause.UNEXPLAINED);
        }
        assertThat(socket).doesNotExist();
    }

    private static TrackedProcess fixed(Path socket, Duration wait, String... command) throws IOException {
        return TrackedProcess.command(command)
                .socket(ProcessSocket.DEFAULT_PATH)
                .defaultPath(socket, wait)
                .recordSize(RecordSize.BYTES_112)
                .start();
    }

    private static TrackedProcess started(String... steps) throws IOException {
        return TrackedProcess.command(ReportingProgram.command(steps))
                .recordSize(RecordSize.BYTES_112)
                .start();
    }

    private static String words(TrackedProcess program) {
        return program.toString().replaceAll("(?s)^process \\d+ \\((.*)\\) .*$", "$1");
    }

    private static List<Cause> causes(LeakVerdict verdict) {
        return verdict.survivors().stream().map(Survivor::cause).distinct().toList();
    }
}
