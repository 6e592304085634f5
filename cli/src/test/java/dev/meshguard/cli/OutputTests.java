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
import dev.meshguard.event.PrintableText;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of every command: write errors are reported, and no text controls the terminal. */
class OutputTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of DRAM on device 0 (buffer_id=101152)\n";
    private static final String HOSTILE = "a\u001b[2J\u009b1m\u2028b\nCLEAN\u202e";
    private static final Path FULL = Path.of("/dev/full");

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

    private String log = "";

    @BeforeEach
    void writeLog() throws IOException {
        log = Files.writeString(folder.resolve("leak.log"), ALLOCATED).toString();
    }

    // Write errors

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "--version",
                "analyze LOG",
                "analyze --json LOG",
                "analyze --help",
                "diff LOG LOG",
                "page LOG -o PAGE",
                "record --without-page -- true",
            })
    void anAnswerThatCannotBeWrittenIsStatus74(String line) {
        String[] arguments = line.replace("LOG", log)
                .replace("PAGE", folder.resolve("page.html").toString())
                .split(" ");
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int status = MeshGuard.run(new ByteArrayInputStream(new byte[0]), new FullDisk(), err, arguments);

        assertThat(status).isEqualTo(74);
        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .containsOnlyOnce("meshguard: standard output cannot be written: No space left on device");
    }

    /** A file that does not fit is wrong usage; nobody can know what programs will report. */
    @ParameterizedTest
    @CsvSource({"64, diff LOG LOG", "70, record --without-page -- true"})
    void aCommandWithoutMemoryIsNoVerdict(int expected, String line) {
        String[] arguments = line.replace("LOG", log).split(" ");
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int status = MeshGuard.run(new ByteArrayInputStream(new byte[0]), new FullHeap(), err, arguments);

        assertThat(status).isEqualTo(expected);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .matches("meshguard: " + arguments[0]
                        + " needs more heap than this JVM has \\(.* .iB\\)\\. Run it with -Xmx\\d+[gm] "
                        + "\\(meshguard: JDK_JAVA_OPTIONS=-Xmx\\d+[gm] meshguard …\\)\\.\\R");
    }

    @Test
    void anErrorMessageThatCannotBeWrittenExitsWith74() {
        assertThat(MeshGuard.run(
                        new ByteArrayInputStream(new byte[0]),
                        new ByteArrayOutputStream(),
                        new FullDisk(),
                        "analyze",
                        "/no/such/log"))
                .isEqualTo(74);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "page LOG -o /dev/full",
                "record --without-page -o /dev/full -- true",
            })
    void aFullDiskIsStatus74AndOneLine(String line) {
        assumeTrue(Files.exists(FULL), "There is no /dev/full here, so no full disk is tried");

        Answer answer = Answer.to(line.replace("LOG", log).split(" "));

        assertThat(answer.status()).isEqualTo(74);
        assertThat(answer.err())
                .isEqualTo("meshguard: /dev/full cannot be written: No space left on device. Give another path with -o."
                        + System.lineSeparator());
    }

    @Test
    void aVerdictIsPrintedAlsoWhereTheHistoryCannotBeKept() {
        Answer answer = Answer.to(
                "record", "--without-page", "-o", folder.resolve("no/run.jsonl").toString(), "--", "true");

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.out()).startsWith("INCONCLUSIVE");
        assertThat(answer.err()).contains("run.jsonl cannot be written: its folder does not exist.");
    }

    // Existing files

    @Test
    void aRunIsNotWrittenOverItself() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of(log));

        for (String output : List.of(log, link.toString())) {
            Answer answer = Answer.to("page", log, "-o", output);

            assertThat(answer.status()).isEqualTo(64);
            assertThat(answer.err())
                    .isEqualTo("meshguard: " + output + " is the file that is read. Give another path with -o."
                            + System.lineSeparator());
        }
        assertThat(Path.of(log)).hasContent(ALLOCATED);
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
                "analyze --phase ( LOG",
                "analyze --bad\u001b[2J LOG",
                "\u001b[2J",
                "page LOG\u001b[2J",
            })
    @SuppressWarnings(
            "StringConcatToTextBlock") // Otherwise the white space at the ends of its lines would be stripped.
    void nothingThatATerminalObeysIsPrinted(String line) throws IOException {
        Path hostile = folder.resolve("a\u001b[2J\u2028b");
        Path hostileLog = Files.writeString(
                folder.resolve("l\u001b[2J.log"),
                "=== \u001b[2J phase ===\n"
                        + "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)\n"
                        + "what \u001b]0;title\u0007 is \u009b1m this\u2028 then\r\u202e\n");
        HistoryJson.write(history(), hostile);

        String[] arguments = line.split(" ");
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = arguments[i].equals("RUN")
                    ? hostile.toString()
                    : arguments[i].equals("PAGE")
                            ? folder.resolve("p\u001b[2J.html").toString()
                            : arguments[i].replace("LOG", hostileLog.toString());
        }
        Answer answer = Answer.to(arguments);

        String all = answer.out().replace("\r\n", "\n") + answer.err();
        assertThat(all).isNotEmpty();
        assertThat(all.codePoints().filter(one -> !PrintableText.isPrintable(one)))
                .allMatch(one -> one == '\n' || one == '\t');
    }

    @Test
    void aNameCannotForgeALineOfAnAnswer() throws IOException {
        Path file = folder.resolve("run.jsonl");
        HistoryJson.write(history(), file);

        assertThat(Answer.to("analyze", file.toString()).out().lines()).noneMatch(line -> line.startsWith("CLEAN"));
    }

    /** Returns the program itself, as a command without a name, and all commands. */
    static List<String> commands() {
        return List.of("", "analyze", "diff", "page", "suite", "record", "client", "serve", "dump");
    }

    @ParameterizedTest
    @MethodSource("commands")
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
