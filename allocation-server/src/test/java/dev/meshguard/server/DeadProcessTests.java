package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The server looks for each process as rarely as possible, and knows the dead ones of this machine. */
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
        assertThat(server.tracker().history().events(HistoryEvent.ProcessDied.class))
                .hasSize(MANY / 2);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY + MANY / 2);
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
        // A shell would wait for the child, so the child ends when its parent is no shell any more.
        String script = "(while [ \"$(cat /proc/$$/comm)\" != tail ]; do :; done) & echo $!; exec tail -f /dev/null";
        Process parent = new ProcessBuilder("sh", "-c", script).start();
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
