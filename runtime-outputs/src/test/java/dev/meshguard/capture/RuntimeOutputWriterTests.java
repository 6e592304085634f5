package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories as captures and databases, compared with what the runtime's sources describe. */
class RuntimeOutputWriterTests {

    @TempDir
    private Path folder;

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    /** Returns the writer of each format. */
    static List<Function<AllocationHistory, RuntimeOutputWriter>> writers() {
        return List.of(RuntimeOutputWriter::graphCapture, RuntimeOutputWriter::reportDatabase);
    }

    @Test
    void aCaptureHasANodeForEachBufferReportAndOperation() throws IOException {
        allocate(
                AllocationDetails.user()
                        .ownedBy(new Owner(Owner.Kind.OTHER, "ttnn::relu"))
                        .withExtent(2048),
                1_488_896,
                65_536);
        allocate(AllocationDetails.user(), 4096, 32);
        free(1_488_896);

        assertThat(capture()).isEqualTo("""
                [
                {"arguments":[],"connections":[1,5,6,7],"counter":0,"input_tensors":[],"node_type":"capture_start","params":null,"stacking_level":0}
                ,{"arguments":[],"connections":[2,3,4],"counter":1,"input_tensors":[],"node_type":"function_start","params":{"inputs":"0","name":"ttnn::relu"},"stacking_level":1}
                ,{"arguments":[],"connections":[],"counter":2,"input_tensors":[],"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"layout":"UNKNOWN","size":65536,"type":"L1"},"stacking_level":1}
                ,{"arguments":[],"connections":[2],"counter":3,"input_tensors":[],"node_type":"buffer_allocate","params":{"address":1488896,"buffer_type":1,"device_id":1,"layout":"UNKNOWN","max_size_per_bank":2048,"size":65536,"type":"L1"},"stacking_level":1}
                ,{"arguments":[],"connections":[8],"counter":4,"input_tensors":[],"node_type":"function_end","params":{"name":"ttnn::relu"},"stacking_level":1}
                ,{"arguments":[],"connections":[],"counter":5,"input_tensors":[],"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"layout":"UNKNOWN","size":32,"type":"L1"},"stacking_level":0}
                ,{"arguments":[],"connections":[5],"counter":6,"input_tensors":[],"node_type":"buffer_allocate","params":{"address":4096,"buffer_type":1,"device_id":1,"layout":"UNKNOWN","size":32,"type":"L1"},"stacking_level":0}
                ,{"arguments":[],"connections":[2],"counter":7,"input_tensors":[],"node_type":"buffer_deallocate","params":{"address":1488896,"buffer_type":1,"device_id":1,"layout":"UNKNOWN","max_size_per_bank":2048,"size":65536,"type":"L1"},"stacking_level":0}
                ,{"arguments":[],"connections":[],"counter":8,"input_tensors":[],"node_type":"capture_end","params":null,"stacking_level":0}
                ]
                """);
    }

    @Test
    void aDatabaseHasTheBuffersAfterEachOperationAndItsGraph() throws Exception {
        allocate(AllocationDetails.user().ownedBy(new Owner(Owner.Kind.OTHER, "ttnn::relu")), 1_488_896, 65_536);
        allocate(AllocationDetails.user().withExtent(64), 4096, 32);
        free(1_488_896);
        Path file = database();

        assertThat(rows(file, "SELECT operation_id, name, duration, rank FROM operations"))
                .containsExactly("1|ttnn::relu|null|0", "2||null|0", "3|ttnn::deallocate|null|0");
        assertThat(rows(file, "SELECT operation_id, device_id, address, max_size_per_bank, buffer_type FROM buffers"))
                .containsExactly("1|1|1488896|65536|1", "2|1|1488896|65536|1", "2|1|4096|64|1", "3|1|4096|64|1");
        assertThat(rows(file, "SELECT device_id FROM devices")).containsExactly("1");
        assertThat(rows(file, "SELECT value FROM report_metadata WHERE key = 'schema_version'"))
                .containsExactly("3.1");
        assertThat(rows(file, "SELECT captured_graph FROM captured_graph WHERE operation_id = 3"))
                .containsExactly("""
                        [
                        {"arguments":[],"connections":[1,2,3],"counter":0,"id":0,"input_tensors":[],"node_type":"capture_start","params":null,"stacking_level":0}
                        ,{"arguments":[],"connections":[],"counter":1,"id":1,"input_tensors":[],"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"layout":"UNKNOWN","size":65536,"type":"L1"},"stacking_level":0}
                        ,{"arguments":[],"connections":[1],"counter":2,"id":2,"input_tensors":[],"node_type":"buffer_deallocate","params":{"address":1488896,"buffer_type":1,"device_id":1,"layout":"UNKNOWN","size":65536,"type":"L1"},"stacking_level":0}
                        ,{"arguments":[],"connections":[],"counter":3,"id":3,"input_tensors":[],"node_type":"capture_end","params":null,"stacking_level":0}
                        ]
                        """);
    }

    @Test
    void aDatabaseHasTheTablesOfItsSchema() throws Exception {
        Path file = database();

        assertThat(rows(file, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
                .containsExactly(
                        "buffer_chunks",
                        "buffers",
                        "captured_graph",
                        "device_tensors",
                        "devices",
                        "edges",
                        "errors",
                        "global_tensor_comparison_records",
                        "input_tensors",
                        "local_tensor_comparison_records",
                        "nodes",
                        "operation_arguments",
                        "operations",
                        "output_tensors",
                        "report_metadata",
                        "source_files",
                        "stack_traces",
                        "tensor_consumers",
                        "tensor_lifetime",
                        "tensor_producers",
                        "tensors");
    }

    @Test
    void aDatabaseKeepsFilesLinesAndMethodsOfCallSites() throws IOException {
        Origin origin = new Origin(List.of(
                new StackTraceElement("com.acme.Decoder", "forward", "Decoder.java", 57),
                new StackTraceElement("com.acme.Generated", "call", null, -1),
                new StackTraceElement("model", "main", "models/model.py", 9)));
        tracker.allocated(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(origin)),
                1,
                BufferType.L1,
                4096,
                32,
                Ownership.OWNING);

        AllocationHistory read = RuntimeOutput.read(database()).history();

        assertThat(read.live().get(0).origin().orElseThrow().frames())
                .containsExactly(
                        new StackTraceElement("Decoder", "forward", "Decoder.java", 57),
                        new StackTraceElement("model", "main", "models/model.py", 9));
        assertThat(RuntimeOutputWriter.graphCapture(tracker.history()).losses()).isEqualTo(Map.of("call site", 1L));
        assertThat(RuntimeOutputWriter.reportDatabase(tracker.history()).losses())
                .isEmpty();
    }

    @Test
    void whatAFileDoesNotHoldIsCounted() {
        allocate(AllocationDetails.user().labelled("kv-cache").reportedBy(7), 4096, 32);
        allocate(AllocationDetails.user().asView(), 4096, 32);
        allocate(AllocationDetails.user().asView(), 8192, 32);
        allocate(AllocationDetails.user(), 4096, 32);
        allocate(AllocationDetails.user(), 0, 32);
        allocate(AllocationDetails.circularBuffer(Owner.program("7 (add)")), 65_536, 32);
        allocate(AllocationDetails.user().withLifetime(BufferLifetime.SYSTEM), 16_384, 32);
        free(1 << 20);
        free(1 << 20);
        tracker.phase(Phase.TEST);
        tracker.ownerEnded(Owner.program("7 (add)"));
        tracker.witnessed(WitnessSnapshot.of(0, WitnessSnapshot.Moment.CLOSE_BEGUN)
                .region(1, BufferType.L1)
                .build());

        assertThat(RuntimeOutputWriter.reportDatabase(tracker.history()).losses())
                .hasToString(
                        "{buffer without a valid address=1, circular buffer=1, view=2, repeated report of a buffer=1,"
                                + " free of an unknown address=2, witness snapshot=1, process=1, lifetime of a buffer of the runtime=1,"
                                + " caching or end of an owner=1, label=1, phase=1}");
    }

    @Test
    void aFileEndsAtTheCheck() throws IOException {
        allocate(AllocationDetails.user(), 4096, 32);
        tracker.checked();
        free(4096);
        RuntimeOutputWriter writer = RuntimeOutputWriter.graphCapture(tracker.history());
        Path file = folder.resolve("graph.json");

        writer.write(file);

        assertThat(writer.losses()).isEqualTo(Map.of("report after the check", 1L));
        assertThat(RuntimeOutput.read(file).remaining()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("writers")
    void aFileThatLacksABufferWhichRemainsIsInconclusive(Function<AllocationHistory, RuntimeOutputWriter> writer)
            throws IOException {
        allocate(AllocationDetails.user(), 4096, 32);
        free(4096);
        allocate(AllocationDetails.user(), 0, 32);
        Path lacking = written(writer);
        free(0);
        Path whole = written(writer);

        assertThat(verdict(lacking).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict(whole).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aBufferOfAnotherAllocatorAtAnAddressInUseIsCountedAndNotWritten() throws IOException {
        allocate(AllocationDetails.user().onMesh(0), 4096, 32);
        allocate(AllocationDetails.user().onMesh(1), 4096, 64);
        RuntimeOutputWriter writer = RuntimeOutputWriter.graphCapture(tracker.history());
        Path file = folder.resolve("graph.json");

        writer.write(file);

        assertThat(writer.losses()).containsEntry("buffer at an address in use", 1L);
        assertThat(RuntimeOutput.read(file).remaining())
                .extracting(RemainingBuffer::size)
                .containsExactly(32L);
    }

    @ParameterizedTest
    @MethodSource("writers")
    void afterLostReportsAFileIsInconclusive(Function<AllocationHistory, RuntimeOutputWriter> writer)
            throws IOException {
        allocate(AllocationDetails.user(), 4096, 32);
        free(4096);
        Path whole = written(writer);
        tracker.reportsLost(3, "the connection broke");
        Path withGap = written(writer);

        assertThat(verdict(whole).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict(withGap).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(writer.apply(tracker.history()).losses()).isEqualTo(Map.of("gap in the reports", 1L));
    }

    @ParameterizedTest
    @MethodSource("writers")
    void afterAPauseOfTrackingAFileIsInconclusive(Function<AllocationHistory, RuntimeOutputWriter> writer)
            throws IOException {
        allocate(AllocationDetails.user(), 4096, 32);
        free(4096);
        tracker.trackingStopped("the profiler was on");
        Path ended = written(writer);
        tracker.trackingStarted();
        Path withGap = written(writer);

        assertThat(verdict(ended).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict(withGap).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @ParameterizedTest
    @MethodSource("writers")
    void aFailedWriteKeepsTheOldFile(Function<AllocationHistory, RuntimeOutputWriter> writer) throws IOException {
        Path file = Files.writeString(folder.resolve("old"), "old");
        Path inNoFolder = folder.resolve("missing/new");

        assertThatThrownBy(() -> writer.apply(tracker.history()).write(inNoFolder))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> writer.apply(tracker.history()).write(new FullDisk()))
                .isInstanceOf(IOException.class)
                .hasMessage("No space left on device");
        assertThat(file).hasContent("old");
        assertThat(folder).isDirectoryContaining("glob:**old").isDirectoryNotContaining("glob:**.draft");
    }

    @Test
    void aDatabaseWithTooManyRowsIsRejected() {
        for (int buffer = 1; buffer <= 10_001; buffer++) {
            allocate(AllocationDetails.user().ownedBy(Owner.program("op " + buffer % 2)), 4096L * buffer, 32);
        }

        assertThatThrownBy(() -> RuntimeOutputWriter.reportDatabase(tracker.history()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("50015001 rows for this history, and at most 50000000 are written");
    }

    /** A stream that takes nothing. */
    private static final class FullDisk extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    private void allocate(AllocationDetails details, long address, long size) {
        tracker.allocated(tracker.request(details), 1, BufferType.L1, address, size, Ownership.OWNING);
    }

    private void free(long address) {
        tracker.freed(tracker.release(AllocationDetails.user()), 1, BufferType.L1, address, Ownership.OWNING);
    }

    private String capture() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RuntimeOutputWriter.graphCapture(tracker.history()).write(bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private Path database() throws IOException {
        return written(RuntimeOutputWriter::reportDatabase);
    }

    private Path written(Function<AllocationHistory, RuntimeOutputWriter> writer) throws IOException {
        Path file = Files.createTempFile(folder, "written", "");
        writer.apply(tracker.history()).write(file);
        return file;
    }

    private static LeakVerdict verdict(Path file) throws IOException {
        return LeakCheck.create().examine(RuntimeOutput.read(file).history());
    }

    private static List<String> rows(Path file, String query) throws Exception {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                List<String> cells = new ArrayList<>();
                for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                    cells.add(String.valueOf(row.getString(column)));
                }
                rows.add(String.join("|", cells));
            }
        }
        return rows;
    }
}
