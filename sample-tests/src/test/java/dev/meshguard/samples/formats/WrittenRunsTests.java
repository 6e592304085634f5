package dev.meshguard.samples.formats;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.HandleSearch;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorGroup;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the verdict on a run is the same after it was written and read, for every defect of the runtime and every mistake
 * of a program.
 */
class WrittenRunsTests {

    private static final JsonSchema HISTORY_LINE = schema("history-2.schema.json");
    private static final JsonSchema VERDICT = schema("verdict-2.schema.json");

    /** Some leaks are held by this field. */
    private final List<Tensor> cache = new ArrayList<>();

    static Stream<Arguments> runs() {
        return Stream.of(RuntimePreset.values())
                .flatMap(preset -> Stream.of(RuntimeDefect.values()).map(defect -> Arguments.of(preset, defect)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void giveTheSameVerdictAfterTheyWereReadAgain(RuntimePreset preset, RuntimeDefect defect) throws IOException {
        for (boolean forgetful : new boolean[] {false, true}) {
            AllocationHistory history = run(preset, EnumSet.of(defect), forgetful);
            String written = written(history);

            AllocationHistory read = HistoryJson.read(new StringReader(written), "history.jsonl");

            assertThat(written(read)).isEqualTo(written);
            assertThat(report(read).text()).isEqualTo(report(history).text());
            assertThat(VerdictJson.text(report(read))).isEqualTo(VerdictJson.text(report(history)));
        }
    }

    /** Most runs write the same lines, so each is looked at once. */
    @Test
    void areAsTheSchemasSay() throws IOException {
        Set<String> lines = new LinkedHashSet<>();
        Set<String> verdicts = new LinkedHashSet<>();
        for (RuntimePreset preset : RuntimePreset.values()) {
            for (RuntimeDefect defect : RuntimeDefect.values()) {
                AllocationHistory history = run(preset, EnumSet.of(defect), true);
                written(history).lines().forEach(lines::add);
                verdicts.add(VerdictJson.text(report(history)));
            }
        }

        assertThat(lines)
                .hasSizeGreaterThan(500)
                .allSatisfy(line -> assertThat(HISTORY_LINE.validate(line, InputFormat.JSON))
                        .isEmpty());
        assertThat(verdicts)
                .hasSizeGreaterThan(10)
                .allSatisfy(verdict ->
                        assertThat(VERDICT.validate(verdict, InputFormat.JSON)).isEmpty());
    }

    /** Runs that all come out clean would prove little of verdicts. */
    @Test
    void areCleanOnlyWhereNothingIsWrong() {
        AllocationHistory clean = run(RuntimePreset.MAY_2026, EnumSet.noneOf(RuntimeDefect.class), false);
        AllocationHistory forgetful = run(RuntimePreset.MAY_2026, EnumSet.noneOf(RuntimeDefect.class), true);

        assertThat(LeakCheck.create().examine(clean).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(LeakCheck.create().examine(forgetful).groups())
                .extracting(SurvivorGroup::cause)
                .contains(Cause.HELD, Cause.CACHED);
    }

    /** Tensors, an operation, a trace, the runtime's own buffers; a forgetful program leaves one of each. */
    private AllocationHistory run(RuntimePreset preset, Set<RuntimeDefect> defects, boolean forgetful) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(preset)
                .systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), BufferType.DRAM, 4_096)
                .defects(defects.toArray(RuntimeDefect[]::new))
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(2_048));
        Tensor a = tensor(ttnn, mesh);
        Tensor b = tensor(ttnn, mesh);
        Tensor sum = ttnn.add(a, b);
        TraceId trace = ttnn.beginTraceCapture(mesh);
        ttnn.endTraceCapture(mesh, trace, 0, 1_000);
        ttnn.deallocate(a);
        if (forgetful) {
            cache.add(b);
        } else {
            ttnn.releaseTrace(mesh, trace);
            ttnn.deallocate(b);
            ttnn.deallocate(sum);
            mesh.disableAndClearProgramCache();
        }
        ttnn.closeMeshDevice(mesh);
        tracker.checked(LocalDate.of(2026, 11, 20));
        HandleSearch.from(this).trace(tracker, tracker.history());
        return tracker.history();
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }

    private static String written(AllocationHistory history) throws IOException {
        StringWriter writer = new StringWriter();
        HistoryJson.write(history, writer);
        return writer.toString();
    }

    private static VerdictReport report(AllocationHistory history) {
        return VerdictReport.of(LeakCheck.create().examine(history));
    }

    private static JsonSchema schema(String name) {
        InputStream published = Objects.requireNonNull(HistoryJson.class.getResourceAsStream(name), name);
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(published);
    }
}
