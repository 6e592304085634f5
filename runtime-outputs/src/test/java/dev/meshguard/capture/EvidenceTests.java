package dev.meshguard.capture;

import static dev.meshguard.capture.evidence.WrittenMemoryReport.Block.hole;
import static dev.meshguard.capture.evidence.WrittenMemoryReport.Block.taken;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.WrittenMemoryReport;
import dev.meshguard.capture.evidence.WrittenSharedMemory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Evidence beside a capture or a database: it fits, or contradicts it, or names what lies at an address. */
class EvidenceTests {

    private static final Memory BUFFER = Memory.l1(1_488_896, 65_536);

    @TempDir
    Path folder;

    // Memory reports

    @ParameterizedTest
    @EnumSource(WrittenMemoryReport.Age.class)
    void aReportThatHasAtLeastTheBuffersOfACaptureFits(WrittenMemoryReport.Age age) throws IOException {
        RuntimeOutput output = read(
                leaking(),
                evidence(new WrittenMemoryReport(age)
                        .memory("DRAM", 12, hole(1_048_576))
                        .memory("L1", 64, taken(1_024), taken(1_024), hole(1_048_576))
                        .detailed()));

        assertThat(output.history().lostReports()).isEmpty();
        assertThat(output.notes())
                .anySatisfy(note -> assertThat(note)
                        .isEqualTo(
                                "evidence fits the capture at its end: 0 B of DRAM; 128 KiB (131072 B) of L1, of which it has"
                                        + " 64 KiB (65536 B) in 1 buffer."));
    }

    @Test
    void aReportWithLessThanACaptureMakesItInconclusiveWithBothNumbers() throws IOException {
        RuntimeOutput output = reader(
                        evidence(report(64, taken(512), hole(1_048_576)).detailed()))
                .judgedAtEnd()
                .read(leaking(), "graph.json");

        LeakVerdict verdict = verdict(output);

        assertThat(verdict.inconclusiveReasonTexts())
                .anySatisfy(reason -> assertThat(reason)
                        .contains(
                                "evidence lists 32 KiB (32768 B) of L1, and the capture has 64 KiB (65536 B) in 1 buffer there"
                                        + " at its end"));
        assertThat(output.notes()).noneMatch(note -> note.contains("fits"));
    }

    @Test
    void aReportOfNothingContradictsALeakFreeCaptureNowhere() throws IOException {
        RuntimeOutput output =
                read(leakFree(), evidence(report(64, hole(1_048_576)).detailed()));

        assertThat(verdict(output).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output.notes()).contains("evidence fits the capture at its end: 0 B of L1.");
    }

    @Test
    void aReportWithFewerBlocksThanACaptureHasBuffersContradictsIt() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.allocate(Memory.l1(4_096, 2_048));
        graph.allocate(Memory.l1(8_192, 2_048));

        RuntimeOutput output = read(
                stream(graph.close().json()),
                evidence(report(1, taken(1_048_576)).detailed()));

        assertThat(output.history().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.reason())
                        .isEqualTo(
                                "evidence lists 1 allocated block of L1, and the capture has 4 KiB (4096 B) in 2 buffers"
                                        + " there at its end"));
    }

    @Test
    void theSummaryIsComparedByTheFullestBank() throws IOException {
        RuntimeOutput fits =
                read(leaking(), evidence(withDram(taken(2_048), hole(1_048_576)).summary()));
        RuntimeOutput less =
                read(leaking(), evidence(withDram(taken(1_024), hole(1_048_576)).summary()));

        assertThat(fits.history().lostReports()).isEmpty();
        assertThat(fits.notes())
                .anySatisfy(
                        note -> assertThat(note)
                                .contains(
                                        "2 KiB (2048 B) of L1 in the fullest bank, of which it has 2 KiB (2048 B) in 1 buffer."));
        assertThat(less.history().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.reason())
                        .isEqualTo(
                                "evidence lists 1 KiB (1024 B) of L1 in the fullest bank, and the capture has 2 KiB (2048 B) in 1"
                                        + " buffer there at its end"));
    }

    @Test
    void aReportAfterAnOperationIsComparedWithThatMoment() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int forward = graph.begin("forward");
        int buffer = graph.allocate(BUFFER);
        graph.end();
        graph.free(buffer, BUFFER);
        String json = graph.close().json();
        RuntimeEvidence empty = evidence(report(64, hole(1_048_576)).detailed());

        RuntimeOutput atEnd = reader(empty).read(stream(json), "graph.json");
        RuntimeOutput after =
                RuntimeOutputReader.create().evidenceAfter(forward, empty).read(stream(json), "graph.json");

        assertThat(verdict(atEnd).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict(after).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict(after).inconclusiveReasonTexts().toString())
                .contains(
                        "and the capture has 64 KiB (65536 B) in 1 buffer there after forward (node " + forward + ")");
    }

    @Test
    void evidenceOfAMomentThatIsNotInTheCaptureIsAnError() {
        RuntimeOutputReader reader = RuntimeOutputReader.create()
                .evidenceAfter(99, evidence(report(64, hole(1_048_576)).detailed()));

        assertThatThrownBy(() -> reader.read(leaking(), "graph.json"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "it has no operation 99, after which evidence was written. An operation has the number of its node"
                                + " function_start");
    }

    @ParameterizedTest
    @EnumSource(
            value = Age.class,
            names = {"OLDEST", "MIDDLE"})
    void aCaptureWithoutExactMemoriesIsNotCompared(Age age) throws IOException {
        WrittenGraph graph = new WrittenGraph(age);
        graph.allocate(BUFFER);

        RuntimeOutput output = read(
                stream(graph.close().json()),
                evidence(report(64, hole(1_048_576)).detailed()));

        assertThat(output.history().lostReports()).isEmpty();
        assertThat(output.notes())
                .contains(
                        "evidence is not compared: the capture names L1 and DRAM only, and L1_SMALL and the trace region are in"
                                + " them.");
    }

    @Test
    void aCaptureThatDispatchedNothingIsNotCompared() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.allocate(Memory.l1(0, 65_536));

        RuntimeOutput output = read(
                stream(graph.close().json()),
                evidence(report(64, hole(1_048_576)).detailed()));

        assertThat(output.history().lostReports()).isEmpty();
        assertThat(output.notes())
                .contains("evidence is not compared: nothing was dispatched in the capture, so nothing was allocated.");
    }

    @Test
    void aReportThatFitsOneOfSeveralDevicesContradictsNothing() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.allocate(new Memory("L1", 1, 1, 4_096, 2_048));
        graph.allocate(new Memory("L1", 1, 2, 4_096, 65_536));
        String json = graph.close().json();

        RuntimeOutput fits =
                read(stream(json), evidence(report(1, taken(2_048), hole(2_048)).detailed()));
        RuntimeOutput fitsNone =
                read(stream(json), evidence(report(1, taken(1_024), hole(2_048)).detailed()));

        assertThat(fits.history().lostReports()).isEmpty();
        assertThat(fits.notes())
                .contains("evidence fits the capture at its end: 2 KiB (2048 B) of L1, of which it has 2 KiB"
                        + " (2048 B) in 1 buffer on device 1, 64 KiB (65536 B) in 1 buffer on device 2.");
        assertThat(fitsNone.history().lostReports())
                .isNotEmpty()
                .allSatisfy(
                        lost -> assertThat(lost.reason()).endsWith("at its end, and it fits none of the 2 devices"));
    }

    @Test
    void theFullestBankOfADatabaseIsComparedIfItsSizesAreCertain() throws Exception {
        RuntimeEvidence summary =
                evidence(withDram(taken(1_024), hole(1_048_576)).summary());

        RuntimeOutput live = reader(summary).read(database(Writer.LIVE));
        RuntimeOutput imported = reader(summary).read(database(Writer.IMPORTER));

        assertThat(live.history().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.reason())
                        .isEqualTo(
                                "evidence lists 1 KiB (1024 B) of L1 in the fullest bank, and the recording has 2 KiB (2048 B) in 1"
                                        + " buffer there at its end"));
        assertThat(imported.history().lostReports()).isEmpty();
    }

    @Test
    void aReportIsComparedWithTheRankThatIsChosen() throws Exception {
        RuntimeEvidence summary =
                evidence(withDram(taken(1_024), hole(1_048_576)).summary());
        try (WrittenDatabase database = new WrittenDatabase(folder.resolve("db.sqlite"), Writer.IMPORTER_OF_RANKS)) {
            database.operation(1, "ttnn.ones");
            database.rank(1).operation(1, "ttnn.ones");
        }
        Path file = folder.resolve("db.sqlite");

        RuntimeOutput second = reader(summary).ofRank(1).read(file);

        assertThat(second.rank()).hasValue(1);
        assertThat(second.notes())
                .anySatisfy(note -> assertThat(note).startsWith("evidence fits the recording at its end"));
        assertThatThrownBy(() -> reader(summary).readRanks(file))
                .isInstanceOf(IOException.class)
                .hasMessage("it has 2 ranks, and evidence is evidence of one. Choose it with --rank or ofRank");
    }

    // Shared memory

    @Test
    void sharedMemoryWithLessThanACaptureMakesItInconclusive() throws IOException {
        RuntimeOutput fits = read(leaking(), sharedMemory(65_536));
        RuntimeOutput less = read(leaking(), sharedMemory(65_535));

        assertThat(fits.history().lostReports()).isEmpty();
        assertThat(fits.notes())
                .contains(
                        "evidence fits the capture at its end: 0 B of DRAM; 64 KiB (65536 B) of L1, of which it has 64 KiB"
                                + " (65536 B) in 1 buffer; 0 B of L1_SMALL; 0 B of TRACE.");
        assertThat(less.history().lostReports())
                .singleElement()
                .satisfies(lost -> assertThat(lost.reason())
                        .isEqualTo(
                                "evidence lists 64 KiB (65535 B) of L1, and the capture has 64 KiB (65536 B) in 1 buffer there"
                                        + " at its end"));
    }

    private static RuntimeEvidence sharedMemory(long l1) throws IOException {
        byte[] content = new WrittenSharedMemory(3, 0, Instant.EPOCH)
                .total(0, l1, 0, 0, 0)
                .process(7, "python3", Instant.EPOCH, 0, l1, 0, 0, 0)
                .bytes();
        return RuntimeEvidence.read(new ByteArrayInputStream(content), "evidence");
    }

    // Texts

    @Test
    void aClashNamesTheBufferAtItsAddressWithItsOperationTensorAndLine() throws IOException {
        Path capture = Files.writeString(folder.resolve("graph.json"), clashing());
        Files.writeString(
                folder.resolve("graph.python_io.json"),
                "[{\"name\": \"ttnn.relu\", \"python_stack_trace\":"
                        + " [\"  File \\\"models/decoder.py\\\", line 57, in forward\\n\"]}]");

        RuntimeOutput output = RuntimeOutput.read(capture);

        assertThat(output.notes())
                .anySatisfy(
                        note -> assertThat(note)
                                .startsWith("An exception left ttnn::matmul (node ")
                                .endsWith(
                                        "The rejected request: circular buffers up to 0x186a00 (1600000), and an L1 buffer lies at"
                                                + " 0x16b800 (1488896). The capture has these buffers there in it: 64 KiB (65536 B) at 0x16b800"
                                                + " (1488896), label \"tensor 7 Shape([1, 1, 32, 32])\", at decoder.forward(models/decoder.py:57)."));
    }

    @Test
    void aClashNamesABufferThatTheExceptionFreed() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::matmul");
        int buffer = graph.allocate(BUFFER);
        graph.free(buffer, BUFFER);
        graph.end(clash());

        assertThat(read(stream(graph.close().json())).notes().get(0))
                .endsWith(
                        "The capture has these buffers there in it: 64 KiB (65536 B) at 0x16b800 (1488896), of ttnn::matmul (node"
                                + " " + buffer + ").");
    }

    @Test
    void aClashNamesABufferFromBeforeTheCaptureByItsTensor() throws IOException {
        RuntimeOutput output = read(stream(withWeights(graph -> {})), evidence(clash() + "\n"));

        assertThat(output.notes())
                .anySatisfy(note -> assertThat(note)
                        .endsWith(
                                "The capture has these buffers there at its end: 64 KiB (65536 B) at 0x16b800 (1488896), label"
                                        + " \"tensor 3 Shape([1, 1, 32, 32])\", from before the capture, node 1."));
    }

    @Test
    void aBufferFromBeforeTheCaptureWhoseAddressWasUsedAgainIsNotNamed() throws IOException {
        String json = withWeights(graph -> graph.free(graph.allocate(BUFFER), BUFFER));

        assertThat(read(stream(json), evidence(clash() + "\n")).notes())
                .anySatisfy(note -> assertThat(note).endsWith("The capture knows no buffer there at its end."));
    }

    @Test
    void aBufferFromBeforeTheCaptureThatWasFreedIsNotNamed() throws IOException {
        String json = withWeights(graph -> graph.free(1, BUFFER));

        assertThat(read(stream(json), evidence(clash() + "\n")).notes())
                .anySatisfy(note -> assertThat(note).endsWith("The capture knows no buffer there at its end."));
    }

    @Test
    void aBufferFromBeforeTheCaptureIsInNoTotal() throws IOException {
        RuntimeOutput output = read(
                stream(withWeights(graph -> {})),
                evidence(report(64, hole(1_048_576)).detailed()));

        assertThat(output.history().lostReports()).isEmpty();
    }

    /** Returns a capture with a tensor from before it, whose buffer is node 1. */
    private static String withWeights(Consumer<WrittenGraph> rest) {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int buffer = graph.buffer(BUFFER);
        graph.tensor(3, "Shape([1, 1, 32, 32])", buffer);
        rest.accept(graph);
        return graph.close()
                .json()
                .replace(
                        "\"shape\":\"Shape([1, 1, 32, 32])\"",
                        "\"address\":1488896,\"buffer_type\":1,\"device_id\":1,\"shape\":\"Shape([1, 1, 32, 32])\"");
    }

    @Test
    void aTextInALogIsJoinedWithTheEndOfTheCapture() throws IOException {
        RuntimeOutput output =
                read(leaking(), evidence("E   RuntimeError: TT_THROW @ program.cpp:1\n" + clash() + "\n"));

        assertThat(output.notes())
                .contains(
                        "The runtime rejected a request (line 2 of evidence): circular buffers up to 0x186a00 (1600000), and an L1"
                                + " buffer lies at 0x16b800 (1488896). The capture has these buffers there at its end: 64 KiB (65536 B) at"
                                + " 0x16b800 (1488896), node 1.");
    }

    @Test
    void aTextThatIsTheReasonOfAnExceptionIsJoinedOnce() throws IOException {
        RuntimeOutput output = read(stream(clashing()), evidence(clash() + "\n"));

        assertThat(output.notes())
                .anySatisfy(note -> assertThat(note)
                        .startsWith("The runtime rejected a request (line 1 of evidence)")
                        .endsWith("It is the reason of an exception above."));
    }

    @Test
    void aTextAtWhoseAddressNothingLiesSaysSo() throws IOException {
        RuntimeOutput output = read(leakFree(), evidence(clash() + "\n"));

        assertThat(output.notes())
                .anySatisfy(note -> assertThat(note).endsWith("The capture knows no buffer there at its end."));
    }

    @Test
    void theTrackersListNamesTheBuffersOfItsOperations() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::add");
        int buffer = graph.allocate(BUFFER);
        graph.end();

        RuntimeOutput output = read(stream(graph.close().json()), evidence("""
                        Found 1 device buffer(s) still alive before trace replay. These will be corrupted on replay.
                        Buffer 1187 [op: ttnn.add]
                        """));

        assertThat(output.notes())
                .contains(
                        "Before a replay of a trace, the runtime listed 1 buffer that it would corrupt (line 1 of evidence): buffer"
                                + " 1187 of ttnn.add. Of the operations that it names, the capture has these buffers at its end, which may be"
                                + " those: ttnn::add 64 KiB (65536 B) at 0x16b800 (1488896), of ttnn::add (node "
                                + buffer + ").");
    }

    @Test
    void anErrorOfADatabaseNamesTheBufferAtItsAddress() throws Exception {
        Path file = folder.resolve("errors.sqlite");
        try (WrittenDatabase database = new WrittenDatabase(file, Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", Place.dram(4_096, 1_024));
            database.operation(2, "ttnn.relu", Place.dram(4_096, 1_024), Place.l1(1_488_896, 2_048));
            database.tensor(41, "Shape([1, 1, 32, 1024])", Place.l1(1_488_896, 2_048));
            database.output(2, 41);
            database.operation(3, "ttnn.matmul", Place.dram(4_096, 1_024), Place.l1(1_488_896, 2_048));
            database.error(3, "ttnn.matmul", "RuntimeError", "TT_THROW @ program.cpp:1\ninfo:\n" + clash());
        }

        assertThat(RuntimeOutput.read(file).notes().get(0))
                .startsWith("An exception left ttnn.matmul (operation 3): \"RuntimeError: TT_THROW @ program.cpp:1\".")
                .endsWith(
                        "The recording has these buffers there in it: 2 KiB (2048 B) at 0x16b800 (1488896), label \"tensor 41"
                                + " Shape([1, 1, 32, 1024])\", of ttnn.relu (operation 2).");
    }

    @Test
    void aFileWithoutAnyOfThisIsNoted() throws IOException {
        assertThat(read(leakFree(), evidence("a line\n")).notes())
                .contains(
                        "evidence has no text of the runtime about memory, and is neither a memory report nor shared memory.");
    }

    @Test
    void evidenceIsOfOneRecording() throws IOException {
        Files.writeString(folder.resolve("a.json"), leakingJson());
        Files.writeString(folder.resolve("b.json"), leakingJson());
        RuntimeOutputReader reader = reader(evidence("a line\n"));

        assertThatThrownBy(() -> reader.readRanks(folder))
                .isInstanceOf(IOException.class)
                .hasMessage("it has 2 recordings, and evidence is evidence of one. Give the file of that one alone");
    }

    // Files

    private static String clash() {
        return "Statically allocated circular buffers in program 12 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer"
                + " allocated at 1488896 and static circular buffer region ends at 1600000";
    }

    private static String clashing() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.relu");
        int buffer = graph.allocate(BUFFER);
        graph.end();
        int tensor = graph.tensor(7, "Shape([1, 1, 32, 32])", buffer);
        graph.begin("ttnn::matmul", tensor);
        graph.end("TT_THROW @ program.cpp:1\ninfo:\n" + clash() + "\nbacktrace:\n");
        return graph.close().json();
    }

    private static String leakingJson() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.allocate(BUFFER);
        return graph.close().json();
    }

    private static ByteArrayInputStream leaking() {
        return stream(leakingJson());
    }

    private static ByteArrayInputStream leakFree() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.free(graph.allocate(BUFFER), BUFFER);
        return stream(graph.close().json());
    }

    private Path database(Writer writer) throws Exception {
        Path file = folder.resolve(writer + ".sqlite");
        try (WrittenDatabase database = new WrittenDatabase(file, writer)) {
            database.operation(1, "ttnn.ones", Place.dram(4_096, 1_024));
            database.operation(2, "ttnn.relu", Place.l1(1_488_896, 2_048));
        }
        return file;
    }

    private static WrittenMemoryReport withDram(WrittenMemoryReport.Block... l1) {
        return new WrittenMemoryReport(WrittenMemoryReport.Age.BYTES)
                .memory("DRAM", 12, hole(1_048_576))
                .memory("L1", 64, l1);
    }

    private static WrittenMemoryReport report(int banks, WrittenMemoryReport.Block... l1) {
        return new WrittenMemoryReport(WrittenMemoryReport.Age.BYTES).memory("L1", banks, l1);
    }

    private static RuntimeEvidence evidence(String text) {
        try {
            return RuntimeEvidence.read(stream(text), "evidence");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RuntimeOutputReader reader(RuntimeEvidence... evidence) {
        RuntimeOutputReader reader = RuntimeOutputReader.create();
        for (RuntimeEvidence file : List.of(evidence)) {
            reader = reader.evidence(file);
        }
        return reader;
    }

    private static RuntimeOutput read(ByteArrayInputStream capture, RuntimeEvidence... evidence) throws IOException {
        return reader(evidence).read(capture, "graph.json");
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static LeakVerdict verdict(RuntimeOutput output) {
        return LeakCheck.create().examine(output.history());
    }
}
