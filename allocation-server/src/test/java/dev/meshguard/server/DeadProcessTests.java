package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Cause;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buffers of a dead process are removed from the answers, and stay as evidence. */
class DeadProcessTests extends WithServer {

    private static final int MANY = 2000;

    @Test
    void whatADeadProcessHadLeavesTheAnswersAndStaysInTheHistory() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(108_740);
        try (RawClient client = client()) {
            for (long id : new long[] {101_152, 105_248, 109_344}) {
                client.send(Request.allocation(108_740, 0, BufferType.L1, id, 4096));
                client.send(Request.allocation(108_740, 0, BufferType.L1, id, 4096));
            }
            client.query(0);
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

    @Test
    void aFreeAfterAReuseOfItsAddressIsNotThatOfWhatADeadProcessLeft() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        runs(8);
        try (RawClient client = client()) {
            client.send(Request.allocation(7, 0, BufferType.L1, 64, 64)).query(0);
            processes.remove(7L);
            server.checkProcesses();
            client.send(
                    Request.allocation(8, 0, BufferType.L1, 64, 64), Request.free(8, 0, 64), Request.free(8, 0, 64));
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
            client.send(Request.free(7, 0, 128), Request.allocation(7, 0, BufferType.L1, 64, 64))
                    .query(0);
            processes.remove(7L);
            server.checkProcesses();
            client.send(
                    Request.allocation(8, 0, BufferType.L1, 64, 64), Request.allocation(8, 0, BufferType.L1, 128, 64));
            client.query(0);
        }

        assertThat(verdict().history().lostReports()).isEmpty();
    }

    @Test
    void theDeadAreLookedForBeforeADump() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        try (RawClient client = client();
                RawClient monitor = client()) {
            client.send(Request.allocation(7, 0, BufferType.L1, 64, 64)).query(0);
            monitor.send(Request.of(MessageType.DUMP_REMAINING)).query(0);
        }

        assertThat(lines())
                .contains("   PID 7 is dead, removing its buffers...", "✓ No buffers remaining - perfect cleanup!");
        assertThat(verdict().survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void theDeadAreLookedForWhenItIsTime() throws IOException, InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(NOON);
        server = builder(RecordSize.BYTES_112)
                .processCheckEvery(Duration.ofSeconds(5))
                .clock(now::get)
                .start();
        try (RawClient client = client()) {
            client.send(Request.allocation(7, 0, BufferType.L1, 64, 64));
            assertThat(client.query(0).l1()).isEqualTo(64);
            now.set(NOON.plusSeconds(5));
            server.awaitQuiet(LONG);
            server.awaitQuiet(LONG);

            assertThat(server.usage(0).l1()).isZero();
        }
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
        try (RawClient client = client()) {
            Request[] requests = new Request[MANY];
            Arrays.setAll(requests, process -> Request.allocation(process + 1, 0, BufferType.L1, process, 64));
            client.send(requests).query(0);
        }
        assertThat(looks).hasValue(MANY);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY);
        assertThat(server.activeAllocations()).isEqualTo(MANY / 2);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY + MANY / 2);
    }

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
            client.send(Request.allocation(7, 0, BufferType.L1, 64, 64)).query(0);
            dying.set(client);
            other.query(0);
            other.query(0);

            assertThat(other.query(0).l1()).isZero();
        }
        assertThat(lines()).contains("✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)");
        assertThat(verdict().survivors()).isEmpty();
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
            client.send(Request.allocation(7, 0, BufferType.L1, 64, 64)).query(0);
            dying.set(client);
            other.send(Request.query(1), Request.of(MessageType.DUMP_REMAINING), Request.query(0));

            assertThat(other.receive().device()).isEqualTo(1);
            assertThat(other.receive().l1()).isZero();
        }
        assertThat(lines())
                .contains(
                        "✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)",
                        "✓ No buffers remaining - perfect cleanup!");
        assertThat(verdict().survivors()).isEmpty();
    }

    /** A program may have ended before the server reads its request for a dump. */
    @Test
    void whoAsksForADumpMayHaveSentAFreeBehindIt() throws Exception {
        start(RecordSize.BYTES_112);
        try (RawClient client = client()) {
            client.send(
                            Request.allocation(7, 0, BufferType.L1, 64, 64),
                            Request.of(MessageType.DUMP_REMAINING),
                            Request.free(7, 0, 64))
                    .query(0);
        }
        server.checkProcesses();

        assertThat(lines())
                .containsSubsequence(
                        "Total remaining buffers: 1", "✗ [PID 7] Freed buffer 64 on device 0 (64 bytes, FINAL)");
        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    /** The server looks for dead processes before it reads what they sent last. */
    private Instant afterTheLastFree(RawClient client) {
        try {
            client.send(Request.free(7, 0, 64));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        processes.remove(7L);
        return NOON.plusSeconds(5);
    }

    @Test
    void aProcessThatLivesKeepsWhatItHas() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        allocate(7, 64);

        server.checkProcesses();

        assertThat(server.usage(0).l1()).isEqualTo(64);
    }

    @Test
    void aLaterProcessOfTheSameIdIsAnotherOne() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        allocate(7, 64);
        processes.put(7L, NOON.plusSeconds(60));

        server.checkProcesses();

        assertThat(server.usage(0).l1()).isZero();
    }

    @Test
    void aLaterProcessOfTheSameIdThatReportsIsNotTakenForTheDeadOne() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        allocate(7, 64);
        processes.put(7L, NOON.plusSeconds(60));

        allocate(7, 128);
        try (RawClient client = client()) {
            client.send(Request.free(7, 0, 128));
            client.query(0);
        }

        assertThat(verdict().survivors())
                .extracting(survivor -> survivor.buffer().address() + " " + survivor.cause())
                .containsExactly("64 PROCESS_DIED");
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 1"})
    void whoSharedABufferWithTheDeadKeepsIt(int first, int second) throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(1);
        runs(2);
        allocate(first, 64);
        allocate(second, 64);
        processes.remove(1L);
        server.checkProcesses();

        assertThat(server.usage(0).l1()).isEqualTo(64);
        try (RawClient client = client()) {
            client.send(Request.free(2, 0, 64));
            assertThat(client.query(0).l1()).isZero();
        }
        assertThat(lines().get(lines().size() - 1))
                .isEqualTo("✗ [PID 2] Freed buffer 64 on device 0 (64 bytes, FINAL)");
        assertThat(verdict().survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void anAddressOfADeadProcessIsAnotherBufferWhenItIsReused() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(1);
        runs(2);
        allocate(1, 64);
        processes.remove(1L);
        server.checkProcesses();

        try (RawClient client = client()) {
            client.send(Request.allocation(2, 0, BufferType.L1, 64, 64), Request.free(2, 0, 64));
            client.query(0);
        }

        assertThat(verdict().survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
        assertThat(server.tracker().history().anomalies()).isEmpty();
    }

    @Test
    void aFreeOfWhatADeadProcessLeftFreesNothing() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(2);
        allocate(1, 64);
        server.checkProcesses();

        try (RawClient client = client()) {
            client.send(Request.free(2, 0, 64));
            client.query(0);
        }

        assertThat(verdict().survivors()).extracting(Survivor::cause).containsExactly(Cause.PROCESS_DIED);
    }

    @Test
    void thisProcessLivesAndOneThatEndedDoesNot() throws IOException, InterruptedException {
        ProcessInspector inspector = ProcessInspector.ofThisMachine();
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();

        assertThat(inspector.inspect(ProcessHandle.current().pid()))
                .hasValueSatisfying(start -> assertThat(start).isAfter(Instant.EPOCH));
        assertThat(inspector.inspect(ended.pid())).isEmpty();
    }

    /** The shell does not wait for its child until its input ends. */
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

    private void allocate(int process, long id) throws IOException, InterruptedException {
        try (RawClient client = client()) {
            client.send(Request.allocation(process, 0, BufferType.L1, id, 64));
            client.query(0);
        }
    }
}
