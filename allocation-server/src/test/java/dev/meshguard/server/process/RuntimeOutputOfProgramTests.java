package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program without a client of the server is judged by the file that it writes. */
@Timeout(120)
class RuntimeOutputOfProgramTests {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final String BUFFER = """
            {"connections":[],"counter":1,"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"size":4096,"type":"L1"}},
            {"connections":[1],"counter":2,"node_type":"buffer_allocate","params":{"address":4096,"buffer_type":1,"device_id":1,"size":4096,"type":"L1"}},
            """;

    private static final String FREE = """
            {"connections":[1],"counter":3,"node_type":"buffer_deallocate","params":{"address":4096,"buffer_type":1,"device_id":1,"size":4096,"type":"L1"}},
            """;

    @TempDir
    private Path folder;

    @BeforeEach
    void writeCaptures() throws Exception {
        Files.writeString(folder.resolve("leaking.txt"), capture(BUFFER, 3));
        Files.writeString(folder.resolve("clean.txt"), capture(BUFFER + FREE, 4));
    }

    private static String capture(String nodes, int end) {
        return "[{\"connections\":[1],\"counter\":0,\"node_type\":\"capture_start\",\"params\":null},\n" + nodes
                + "{\"connections\":[],\"counter\":" + end + ",\"node_type\":\"capture_end\",\"params\":null}]\n";
    }

    private TrackedProcess.Builder program(String... command) {
        return TrackedProcess.command(command).directory(folder);
    }

    private static TrackedProcess ended(TrackedProcess.Builder builder) throws Exception {
        TrackedProcess program = builder.start();
        program.await(TIMEOUT);
        return program;
    }

    @Test
    void aCaptureThatFreesAllIsLeakFree() throws Exception {
        try (TrackedProcess program =
                ended(program("cp", "clean.txt", "graph.json").runtimeOutput(Path.of("graph.json")))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
            assertThat(program.notes())
                    .contains("it is judged by " + folder.resolve("graph.json") + " (graph capture)")
                    .noneMatch(note -> note.contains("never connected"));
        }
    }

    @Test
    void whatRemainsIsUndecidedUnlessTheEndIsJudged() throws Exception {
        TrackedProcess.Builder builder = program("cp", "leaking.txt", "graph.json");
        try (TrackedProcess program = ended(builder.runtimeOutput(Path.of("graph.json")))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().history().events(HistoryEvent.SourceNoted.class))
                    .anyMatch(noted -> noted.note().startsWith("1 buffer is still allocated at the end"));
        }
        Files.delete(folder.resolve("graph.json"));
        try (TrackedProcess program = ended(builder.runtimeOutput(
                Path.of("graph.json"), RuntimeOutputReader.create().judgedAtEnd()))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.LEAKED);
        }
    }

    @Test
    void aFileThatIsNotWrittenProvesNothing() throws Exception {
        try (TrackedProcess program = ended(program("true").runtimeOutput(Path.of("graph.json")))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().inconclusiveReasonTexts())
                    .singleElement()
                    .asString()
                    .contains(folder.resolve("graph.json") + " cannot be read: the program did not write it");
        }
    }

    @Test
    void aFileOfAnEarlierRunProvesNothing() throws Exception {
        Files.copy(folder.resolve("clean.txt"), folder.resolve("graph.json"));

        try (TrackedProcess program = ended(program("true").runtimeOutput(Path.of("graph.json")))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().inconclusiveReasonTexts())
                    .singleElement()
                    .asString()
                    .contains("it is from before the start of the program");
        }
    }

    @Test
    void aFileOfNoKnownFormatProvesNothing() throws Exception {
        Files.writeString(folder.resolve("text.txt"), "no capture");

        try (TrackedProcess program =
                ended(program("cp", "text.txt", "graph.json").runtimeOutput(Path.of("graph.json")))) {
            assertThat(program.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(program.verdict().inconclusiveReasonTexts())
                    .singleElement()
                    .asString()
                    .contains("graph.json cannot be read: it is no JSON");
        }
    }

    @Test
    void aLeakThatItsReportsShowIsNotHiddenByItsFile() throws Exception {
        Files.writeString(folder.resolve("graph.json"), "of an earlier run");
        TrackedProcess.Builder builder = program(ReportingProgram.command("112", "allocate 4096"))
                .recordSize(RecordSize.BYTES_112)
                .runtimeOutput(Path.of("graph.json"));

        try (TrackedProcess program = builder.start()) {
            Files.writeString(folder.resolve("graph.json"), capture(BUFFER + FREE, 4));
            program.await(TIMEOUT);

            assertThat(program.verdict().outcome()).isEqualTo(Outcome.LEAKED);
        }
    }
}
