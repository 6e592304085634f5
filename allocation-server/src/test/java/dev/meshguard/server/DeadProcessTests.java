package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
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

/** Buffers of a dead process are removed from the answers, and stay as evidence; the log reads back as the server handled them. */
class DeadProcessTests extends WithServer {

    private static final int MANY = 2000;

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
}
