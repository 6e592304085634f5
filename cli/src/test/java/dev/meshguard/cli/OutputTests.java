package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.text.PrintableText;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of every command: write errors are reported, and no text controls the terminal. */
class OutputTests {

    private static final String HOSTILE = "a\u001b[2J\u009b1m\u2028b\nCLEAN\u202e";

    /** A full disk. */
    private static final class FullDisk extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    /** Simulates code that runs out of memory while it writes. */
    private static final class FullHeap extends OutputStream {
        private boolean hasFailed;

        @Override
        public void write(int one) {
            if (!hasFailed) {
                hasFailed = true;
                throw new OutOfMemoryError("injected");
            }
        }
    }

    @TempDir
    Path folder;

    @BeforeEach
    void writeLog() throws IOException {
        Files.writeString(folder.resolve("leak.log"), CommandTests.LEAK);
    }

    private Answer answerTo(OutputStream out, String command) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = MeshGuard.run(InputStream.nullInputStream(), out, err, Answer.words(folder, command));
        return new Answer(status, "", err.toString(StandardCharsets.UTF_8));
    }

    // Write errors

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "--version",
                "analyze leak.log",
                "analyze --json leak.log",
                "analyze --help",
                "diff leak.log leak.log",
                "page leak.log -o page.html",
                "record --without-page -- true",
            })
    void anAnswerThatCannotBeWrittenIsStatus74(String command) {
        Answer answer = answerTo(new FullDisk(), command);

        assertThat(answer.status()).isEqualTo(74);
        assertThat(answer.err().lines())
                .containsOnlyOnce("meshguard: standard output cannot be written: No space left on device");
    }

    /** A file that does not fit is wrong usage; nobody can know what programs will report. */
    @ParameterizedTest
    @CsvSource({"64, diff leak.log leak.log", "70, record --without-page -- true"})
    void aCommandWithoutMemoryIsNoVerdict(int status, String command) {
        Answer answer = answerTo(new FullHeap(), command);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.err())
                .matches("meshguard: " + command.split(" ", -1)[0]
                        + " needs more heap than this JVM has \\(.* .iB\\)\\. Run it with -Xmx\\d+[gm] "
                        + "\\(meshguard: JDK_JAVA_OPTIONS=-Xmx\\d+[gm] meshguard …\\)\\.\\R");
    }

    @Test
    void anErrorMessageThatCannotBeWrittenExitsWith74() {
        OutputStream out = OutputStream.nullOutputStream();

        assertThat(MeshGuard.run(InputStream.nullInputStream(), out, new FullDisk(), "analyze", "/no/such/log"))
                .isEqualTo(74);
    }

    @ParameterizedTest
    @ValueSource(strings = {"page leak.log -o /dev/full", "record --without-page -o /dev/full -- true"})
    void aFullDiskIsStatus74AndOneLine(String command) {
        assumeTrue(Files.exists(Path.of("/dev/full")), "There is no /dev/full here, so no full disk is tried");

        Answer answer = Answer.in(folder, command);

        assertThat(answer.status()).isEqualTo(74);
        assertThat(answer.err())
                .isEqualToNormalizingNewlines(
                        "meshguard: /dev/full cannot be written: No space left on device. Give another path with -o.\n");
    }

    // Terminal control characters

    @ParameterizedTest
    @ValueSource(
            strings = {
                "analyze LOG",
                "analyze --json LOG",
                "analyze RUN",
                "analyze --json RUN",
                "diff LOG RUN",
                "page RUN -o PAGE",
                "analyze --rounds ( LOG",
                "analyze --bad\u001b[2J LOG",
                "\u001b[2J",
                "page LOG\u001b[2J",
            })
    void nothingThatATerminalObeysIsPrintedAndNoNameForgesALine(String line) throws IOException {
        Path run = folder.resolve("a\u001b[2J\u2028b");
        HistoryJson.write(history(), run);
        Path log = folder.resolve("l\u001b[2J.log");
        String foreign = "what \u001b]0;title\u0007 is \u009b1m this\u2028 then\r\u202e\n";
        Files.writeString(log, "=== \u001b[2J phase ===\n" + CommandTests.ALLOCATED + foreign);

        Answer answer = Answer.to(Stream.of(line.split(" "))
                .map(word -> word.replace("RUN", run.toString())
                        .replace("PAGE", folder.resolve("p\u001b[2J.html").toString())
                        .replace("LOG", log.toString()))
                .toArray(String[]::new));

        String all = answer.out().replace("\r\n", "\n") + answer.err();
        assertThat(all).isNotEmpty();
        assertThat(all.codePoints().filter(one -> !PrintableText.isPrintable(one)))
                .allMatch(one -> one == '\n' || one == '\t');
        assertThat(all.lines()).noneMatch(printed -> printed.startsWith("CLEAN"));
    }

    /** Without a name it is the program itself. */
    @ParameterizedTest
    @ValueSource(strings = {"", "analyze", "diff", "page", "suite", "record", "client"})
    void everyCommandNamesItsVersionAndItsExitStatuses(String command) {
        assertThat(Answer.to((command + " -V").strip().split(" ")))
                .isEqualTo(new Answer(0, "meshguard (not from a jar)" + System.lineSeparator(), ""));
        assertThat(Answer.to((command + " --help").strip().split(" ")).out()).contains("Exit status");
    }

    private static AllocationHistory history() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh " + HOSTILE, List.of(0)));
        tracker.phase(new Phase(HOSTILE));
        var frame = new StackTraceElement(HOSTILE, HOSTILE, HOSTILE, 4);
        MemoryRequest request =
                MemoryRequest.restored(AllocationDetails.user().labelled(HOSTILE), Optional.of(Origin.of(frame)));
        tracker.allocated(request, 0, BufferType.DRAM, 4096, 1024, Ownership.OWNING);
        tracker.meshClosed(0);
        return tracker.history();
    }
}
