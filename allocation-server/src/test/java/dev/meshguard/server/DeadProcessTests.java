package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buffers of a dead process are removed from the answers, and stay as evidence; the log reads back as the server handled them. */
class DeadProcessTests extends WithServer {

    private static final int MANY = 2000;

    @Test
    void whatADeadProcessHadLeavesTheAnswersAndStaysInTheHistory() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(108_740);
        for (long id : new long[] {101_152, 105_248, 109_344}) {
            Request allocation = Request.allocation(108_740, 0, BufferType.L1, id, 4096);
            report(allocation, allocation);
        }
        processes.remove(108_740L);

        server.checkProcesses();

        assertThat(server.usage(0).l1()).isZero();
        assertThat(lines().subList(6, lines().size())).containsExactly("""

                ⚠️  Detected dead processes, cleaning up orphaned buffers...
                   PID 108740 is dead, removing its buffers...
                   ✓ Removed 3 buffers (0.0117188 MB) from PID 108740
                """.split("\n", -1));
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict().survivors())
                .extracting(Survivor::status)
                .containsOnly(SurvivorStatus.UNDECIDED)
                .hasSize(3);
    }

    /** Steps are a process and what it does at an address: + allocates, - frees, x it dies, r another process has its id, c is a check. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            a process that lives keeps what it has             | 1+64 c               | 64 | UNEXPLAINED  | 0
            a later process of the same id is another one      | 1+64 1r c            | 0  | PROCESS_DIED | 0
            one that reports is not taken for the dead one     | 1+64 1r 1+128 1-128  | 0  | PROCESS_DIED | 0
            the second that shares a buffer keeps it           | 1+64 2+64 1x         | 64 | UNEXPLAINED  | 0
            and frees it                                       | 1+64 2+64 1x 2-64    | 0  | PROCESS_DIED | 0
            the first that shares a buffer keeps it            | 2+64 1+64 1x         | 64 | UNEXPLAINED  | 0
            and frees it                                       | 2+64 1+64 1x 2-64    | 0  | PROCESS_DIED | 0
            the first has freed its share, and the second dies | 1+64 2+64 1-64 2x    | 0  | PROCESS_DIED | 0
            an address of a dead process is used again         | 1+64 1x 2+64 2-64    | 0  | PROCESS_DIED | 0
            a free of what a dead process left frees nothing   | 1+64 1x 2-64         | 0  | PROCESS_DIED | 1
            """)
    void whatADeadProcessSharedIsHandledAlikeInAnswersLogAndHistory(
            String what, String steps, long bytes, Cause cause, int anomalies)
            throws IOException, InterruptedException {
        play(steps);

        assertThat(server.usage(0).l1()).isEqualTo(bytes);
        assertThat(causes()).containsExactly(cause);
        assertThat(server.tracker().history().anomalies()).hasSize(anomalies);
        assertThatTheLogAgrees();
    }

    /** When all that shared a buffer are dead, a free of its address is of another buffer. */
    @Test
    void aFreeDoesNotEndABufferOfWhichAllProcessesAreDead() throws IOException, InterruptedException {
        play("1+64 2+64 2x 1x 3-64");

        assertThat(server.tracker().history().live()).hasSize(1);
        assertThatTheLogAgrees();
    }

    private void assertThatTheLogAgrees() throws IOException, InterruptedException {
        assertThat(readLog().history().lostReports()).isEmpty();
        assertThat(openReports(readLog().history()))
                .isEqualTo(openReports(server.tracker().history()));
    }

    private void play(String steps) throws IOException {
        start(RecordSize.BYTES_112);
        LongStream.rangeClosed(1, 3).forEach(this::runs);
        for (String step : steps.split(" ", -1)) {
            playStep(step);
        }
    }

    private void playStep(String step) throws IOException {
        int process = Character.digit(step.charAt(0), 10);
        switch (step.replaceAll("\\d", "")) {
            case "+" -> report(allocation(process, address(step)));
            case "-" -> report(free(process, address(step)));
            case "r" -> processes.put((long) process, NOON.plusSeconds(60));
            case "x" -> {
                processes.remove((long) process);
                server.checkProcesses();
            }
            default -> server.checkProcesses();
        }
    }

    private static long address(String step) {
        return Long.parseLong(step.substring(2));
    }

    @Test
    void aFreeAfterAReuseOfItsAddressIsNotThatOfWhatADeadProcessLeft() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        runs(8);
        try (RawClient client = client()) {
            client.send(allocation(7, 64)).query(0);
            processes.remove(7L);
            server.checkProcesses();
            client.send(allocation(8, 64), free(8, 64), free(8, 64));
            client.query(0);
        }

        assertThat(verdict().survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void aFreeOfNothingIsNotThatOfABufferAfterItsDeviceWasOpenedAgain() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        runs(8);
        try (RawClient client = client()) {
            client.send(free(7, 128), allocation(7, 64)).query(0);
            processes.remove(7L);
            server.checkProcesses();
            client.send(allocation(8, 64), allocation(8, 128));
            client.query(0);
        }

        assertThat(verdict().history().lostReports()).isEmpty();
    }

    // When dead processes are looked for

    @Test
    void theDeadAreLookedForBeforeADump() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        report(allocation(7, 64));
        report(Request.of(MessageType.DUMP_REMAINING));

        assertThat(lines())
                .contains("   PID 7 is dead, removing its buffers...", "✓ No buffers remaining - perfect cleanup!");
        assertThat(causes()).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void theDeadAreLookedForWhenItIsTime() throws IOException, InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(NOON);
        server = builder(RecordSize.BYTES_112)
                .processCheckEvery(Duration.ofSeconds(5))
                .clock(now::get)
                .start();
        assertThat(report(allocation(7, 64)).l1()).isEqualTo(64);
        now.set(NOON.plusSeconds(5));
        server.awaitQuiet(LONG);
        server.awaitQuiet(LONG);

        assertThat(server.usage(0).l1()).isZero();
    }

    @Test
    void eachProcessIsLookedForOnceWhenItReportsAndOnceInEachCheck() throws IOException, InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        server = builder(RecordSize.BYTES_112)
                .processInspector(process -> {
                    looks.incrementAndGet();
                    return process % 2 == 0 ? Optional.of(NOON) : Optional.empty();
                })
                .start();
        Request[] requests = new Request[MANY];
        Arrays.setAll(requests, process -> allocation(process + 1, process));
        report(requests);
        assertThat(looks).hasValue(MANY);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY);
        assertThat(server.activeAllocations()).isEqualTo(MANY / 2);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY + MANY / 2);
    }

    // What a process sent last

    @Test
    void whatAProcessSentBeforeItDiedIsReadBeforeItsBuffersAreRemoved() throws Exception {
        AtomicReference<RawClient> dying = new AtomicReference<>();
        server = builder(RecordSize.BYTES_112)
                .processCheckEvery(Duration.ofSeconds(5))
                .clock(() -> dying.get() == null ? NOON : afterTheLastFree(dying.getAndSet(null)))
                .start();
        runs(7);
        try (RawClient client = client();
                RawClient other = client()) {
            client.send(allocation(7, 64)).query(0);
            dying.set(client);
            other.query(0);
            other.query(0);

            assertThat(other.query(0).l1()).isZero();
        }
        assertThat(lines()).contains("✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)");
        assertThat(causes()).isEmpty();
    }

    @Test
    void whatAProcessSentBeforeItDiedIsReadBeforeADump() throws Exception {
        AtomicReference<RawClient> dying = new AtomicReference<>();
        server = builder(RecordSize.BYTES_112)
                .processInspector(process -> Optional.ofNullable(dying.getAndSet(null))
                        .map(this::afterTheLastFree)
                        .or(() -> Optional.of(NOON))
                        .filter(now -> now.equals(NOON)))
                .start();
        try (RawClient client = client();
                RawClient other = client()) {
            client.send(allocation(7, 64)).query(0);
            dying.set(client);
            other.send(Request.query(1), Request.of(MessageType.DUMP_REMAINING), Request.query(0));

            assertThat(other.receive().device()).isEqualTo(1);
            assertThat(other.receive().l1()).isZero();
        }
        assertThat(lines())
                .contains(
                        "✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)",
                        "✓ No buffers remaining - perfect cleanup!");
        assertThat(causes()).isEmpty();
    }

    /** The server looks for dead processes before it reads what they sent last. */
    private Instant afterTheLastFree(RawClient client) {
        try {
            client.send(free(7, 64));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        processes.remove(7L);
        return NOON.plusSeconds(5);
    }

    /** A program may have ended before the server reads its request for a dump. */
    @Test
    void whoAsksForADumpMayHaveSentAFreeBehindIt() throws Exception {
        start(RecordSize.BYTES_112);
        report(allocation(7, 64), Request.of(MessageType.DUMP_REMAINING), free(7, 64));
        server.checkProcesses();

        assertThat(lines())
                .containsSubsequence(
                        "Total remaining buffers: 1", "✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)");
        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    // Processes of this machine

    @Test
    void thisProcessLivesAndOneThatEndedDoesNot() throws IOException, InterruptedException {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();

        assertThat(inspector.inspect(ProcessHandle.current().pid()))
                .hasValueSatisfying(start -> assertThat(start).isAfter(Instant.EPOCH));
        assertThat(inspector.inspect(ended.pid())).isEmpty();
    }

    /** The program that replaces the shell does not wait for the shell's child. */
    @Test
    void aProcessThatEndedAndWasNotWaitedForIsDead() throws IOException, InterruptedException {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        Process parent = new ProcessBuilder("sh", "-c", "sleep 0 & echo $!; exec cat").start();
        try (BufferedReader output = parent.inputReader()) {
            long child = Long.parseLong(output.readLine());
            while (inspector.inspect(child).isPresent()) {
                Thread.onSpinWait();
            }

            assertThat(ProcessHandle.of(child)).isPresent();
        } finally {
            parent.destroyForcibly();
        }
    }

    // The log

    @Test
    void theLogSaysWhoKeepsWhatADeadProcessShared() throws IOException, InterruptedException {
        play("1+64 2+64 1+128 1x 2-64");

        assertThat(lines().subList(3, lines().size())).containsExactly("""

                ⚠️  Detected dead processes, cleaning up orphaned buffers...
                   PID 1 is dead, removing its buffers...
                   Buffer 64 on device 0 keeps ref_count=1 without PID 1, and belongs to PID 2
                   ✓ Removed 1 buffers (6.10352e-05 MB) from PID 1

                ✗ [PID 2] Freed buffer 64 on device 0 (64 bytes, FINAL)""".split("\n", -1));
        assertThat(LeakCheck.create().examine(readLog().history()).survivors())
                .extracting(Survivor::cause)
                .containsOnly(Cause.PROCESS_DIED)
                .hasSameSizeAs(causes());
    }

    @Test
    void theLastOfThoseWhoSharedTakesTheBufferOfAnotherWithIt() throws IOException, InterruptedException {
        play("1+64 2+64 1-64 2x");

        assertThat(lines().subList(5, 8))
                .containsExactly(
                        "   PID 2 is dead, removing its buffers...",
                        "   Buffer 64 on device 0 keeps ref_count=0 without PID 2, and belongs to PID 1",
                        "   ✓ Removed 1 buffers (6.10352e-05 MB) from PID 2");
        assertThat(LeakCheck.create().examine(readLog().history()).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PID 1 is dead, removing its buffers...|\
            line 3 says that others keep 2 references to buffer 0x40 (64) on device 0, and the lines before it make 1
            PID 3 is dead, removing its buffers...|\
            line 3 is about a buffer of the dead process 1, and no line before it says that this process is dead
            """)
    void aLineThatContradictsTheOnesBeforeMakesTheLogInconclusive(String dead, String reason) throws IOException {
        AllocationLog log = readLog("""
                ✓ [PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=64)
                   %s
                   Buffer 64 on device 0 keeps ref_count=2 without PID 1, and belongs to PID 2
                """.formatted(dead));

        assertThat(log.history().lostReports())
                .extracting(HistoryEvent.ReportsLost::reason)
                .containsExactly(reason);
    }

    /** The lines about shared buffers may be among those that are missing. */
    @Test
    void aServerThatIsStartedAgainDuringACleanupMakesTheLogInconclusive() throws IOException {
        AllocationLog log = readLog("""
                🚀 Allocation Server started
                ✓ [PID 1] Allocated 64 bytes of L1 on device 0 (buffer_id=64)
                ✓ [PID 2] Allocated 64 bytes of L1 on device 0 (buffer_id=64, ref_count=2)
                   PID 1 is dead, removing its buffers...
                🚀 Allocation Server started
                """);

        assertThat(log.history().events(HistoryEvent.TrackingStopped.class))
                .extracting(HistoryEvent.TrackingStopped::reason)
                .containsExactly("line 5 starts the server again while 1 buffer was allocated");
    }
}
