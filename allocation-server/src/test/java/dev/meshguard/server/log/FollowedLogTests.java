package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is still being written is read, including lines appended later. */
class FollowedLogTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)\n";
    private static final String FREED = "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)\n";

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("server.log");
        Files.writeString(file, ALLOCATED);
    }

    @Test
    void readsWhatIsWrittenWhileItReads() throws IOException {
        AllocationLog log = Logs.READER.follow(
                file, whileWaiting(() -> append(FREED.substring(0, 20)), () -> append(FREED.substring(20))));

        assertThat(log.lines()).isEqualTo(2);
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void readsWhatWasWrittenBeforeTheEndIsSignalled() throws IOException {
        AllocationLog log = Logs.READER.follow(file, quiet -> {
            append(FREED);
            return true;
        });

        assertThat(log.lines()).isEqualTo(2);
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void isAskedWithTheTimeSinceTheFileGrew() throws IOException {
        Predicate<Duration> isOver = quiet -> {
            assertThat(quiet).isGreaterThanOrEqualTo(Duration.ZERO);
            return true;
        };

        assertThat(AllocationLogReader.create().follow(file, isOver).lines()).isEqualTo(1);
    }

    @Test
    void aFileThatWasReplacedIsInconclusive() throws IOException {
        AllocationLog log = Logs.READER.follow(file, whileWaiting(this::replace));

        assertThat(Logs.losses(log))
                .containsExactly("the log cannot be read after line 1: another file was put in its place");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFileThatWasCutIsInconclusive() throws IOException {
        AllocationLog log = Logs.READER.follow(file, whileWaiting(() -> write("")));

        assertThat(Logs.losses(log))
                .containsExactly(
                        "the log cannot be read after line 1: the file was cut to 0 bytes when 70 of it had been read");
        assertThat(Logs.verdictOn(log).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFileThatWasRemovedIsInconclusive() throws IOException {
        AllocationLog log = Logs.READER.follow(file, whileWaiting(this::rename));

        assertThat(Logs.losses(log))
                .containsExactly("the log cannot be read after line 1: the file was removed or renamed");
    }

    @Test
    void anInterruptedReaderSaysWhatItHasRead() throws IOException {
        AllocationLog log = Logs.READER.follow(file, quiet -> {
            Thread.currentThread().interrupt();
            return false;
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(log.lines()).isEqualTo(1);
    }

    /** Runs one step each time that the end is reached, and then ends. */
    private static Predicate<Duration> whileWaiting(Runnable... steps) {
        Queue<Runnable> left = new ArrayDeque<>(List.of(steps));
        return quiet -> {
            Runnable next = left.poll();
            if (next == null) {
                return true;
            }
            next.run();
            return false;
        };
    }

    private void append(String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void rename() {
        try {
            Files.move(file, folder.resolve("server.log.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void replace() {
        rename();
        write(ALLOCATED);
    }
}
