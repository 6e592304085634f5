package dev.meshguard.verification.seeds;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.MeshWorkload;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests each defect of a runtime. With the defect, one check fails and names the cause; without it, the same check passes. */
class DefectsTests {

    private static final String LEDGER_OF_A_LATE_FREE = "books after a late free";
    private static final String OF_LIVING_PROGRAMS = "circular buffers of living programs";
    private static final String LEAKS_OF_A_SWEEP = "noLeaks after a sweep that captures and releases traces";
    private static final String CAPTURES_OF_A_SWEEP = "every capture of a sweep that captures and releases traces";

    /** By defect, the check and what it says. */
    private static final String DEFECTS = """
            NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES     | hasBalancedReports                                         | 48 DRAM buffers (384 KiB) lack a free report: FREE_UNREPORTED
            MESH_BUFFER_DEALLOCATE_RETURNS_EARLY       | hasBalancedReports                                         | 32 DRAM buffers (256 KiB) lack a free report: FREE_UNREPORTED
            BACKING_BUFFERS_REPORTED_AS_DEVICE_0       | books read as EVERY_REPORT                                 | reported 2 times at one live address: DRAM 0x2d4c40 (2968640) on device 0
            CIRCULAR_BUFFERS_NEVER_REPORTED_FREE       | hasBalancedReports                                         | 24 L1 buffers (96 KiB) lack a free report: CIRCULAR_BUFFER_UNREPORTED
            BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED     | books after a late free                                    | device 0: DRAM 8 KiB (8192 B), L1 0 B, 1 report, 1 entry
            ALLOCATOR_CLEARS_WITHOUT_REPORTING         | hasBalancedReports                                         | 8 DRAM buffers (32 KiB) lack a free report: FREE_UNREPORTED
            DEVICE_INITIALISED_TWICE                   | onlyExpectedSystemBuffers                                  | LEAK  32 KiB in 8 DRAM buffers, SYSTEM
            INITIALISED_BY_DEVICE_AND_MESH             | onlyExpectedSystemBuffers                                  | LEAK  32 KiB in 8 DRAM buffers, SYSTEM
            EARLY_ALLOCATIONS_NOT_REPORTED             | hasBalancedReports                                         | free of an unknown address: DRAM 0x2d4c40 (2968640) on device 0
            CIRCULAR_BUFFERS_NOT_REPORTED              | circular buffers of living programs                        | [L1 of the cached add on device 0]
            PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS     | circular buffers of living programs                        | [L1 of the cached add on device 0]
            FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED | books read as EVERY_REPORT                                 | reported 2 times at one live address: DRAM 0x2d5c40 (2972736) on device 0
            FREES_NAME_STALE_DEVICES                   | hasBalancedReports                                         | 72 buffers (480 KiB) lack a free report: FREE_UNREPORTED; 72 frees of nothing
            REPORTS_END_AT_CLOSE                       | books after a late free                                    | device 0: DRAM 8 KiB (8192 B), L1 0 B, 1 report, 1 entry
            MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES      | books after a late free                                    | device 0: DRAM 8 KiB (8192 B), L1 0 B, 1 report, 1 entry
            MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES  | books after a late free                                    | device 0: DRAM 8 KiB (8192 B), L1 0 B, 1 report, 1 entry
            TRACE_BUFFER_KEPT_AFTER_RELEASE            | noLeaks after a sweep that captures and releases traces    | LEAK  16 KiB in 16 TRACE buffers, KEPT_AFTER_RELEASE
            TRACE_SIZE_NOT_LOWERED_ON_RELEASE          | every capture of a sweep that captures and releases traces | Creating trace buffers of size 3072B on MeshDevice 0, but only 2048B is allocated for trace region.
            """;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final List<String> rejectedCaptures = new ArrayList<>();
    private long l1WhileTheCacheIsFull;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = DEFECTS)
    void turnsItsCheckRedAndNamesTheCause(RuntimeDefect defect, String check, String cause) {
        run(check, defect);

        assertThatThrownBy(() -> check(check).accept(tracker))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(cause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = DEFECTS)
    void leavesItsCheckGreenWhenItIsOff(RuntimeDefect defect, String check, String cause) {
        run(check);

        assertThatCode(() -> check(check).accept(tracker)).doesNotThrowAnyException();
    }

    @Test
    void areAllHere() {
        Assertions.assertThat(DEFECTS.lines().map(line -> line.substring(0, line.indexOf(' '))))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(RuntimeDefect.values()).map(Enum::name).toList());
    }

    /**
     * One program that meets them all: tensors, an operation, a program that ends while others live, an address that is lent
     * anew, the runtime's own buffers, and, where that is asked for, a free after the mesh is closed and its object gone.
     */
    private void run(String check, RuntimeDefect... defects) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), BufferType.DRAM, 4_096)
                .defects(defects)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(2_048));
        Tensor a = tensor(ttnn, mesh);
        Tensor b = tensor(ttnn, mesh);
        Tensor sum = ttnn.add(a, b);
        if (check.equals(OF_LIVING_PROGRAMS)) {
            runAndEndAnotherProgram(ttnn, mesh);
        }
        if (check.equals(LEAKS_OF_A_SWEEP) || check.equals(CAPTURES_OF_A_SWEEP)) {
            sweepTraces(ttnn, mesh);
        }
        l1WhileTheCacheIsFull = tracker.liveBytes(0, BufferType.L1);
        ttnn.deallocate(a);
        Tensor anew = tensor(ttnn, mesh);
        ttnn.deallocate(anew);
        ttnn.deallocate(b);
        mesh.disableAndClearProgramCache();
        if (!check.equals(LEDGER_OF_A_LATE_FREE)) {
            sum.close();
        }
        ttnn.closeMeshDevice(mesh);
        mesh.destroy();
        if (check.equals(LEDGER_OF_A_LATE_FREE)) {
            deallocateEvenIfItCrashes(sum);
        }
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
    }

    /** Its circular buffers lie where those of the cached add do, which books that count every report cannot tell apart. */
    private static void runAndEndAnotherProgram(Ttnn ttnn, MeshDevice mesh) {
        MeshWorkload copy = ttnn.createMeshWorkload()
                .addProgram(ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(2_048)));
        mesh.enqueueMeshWorkload(copy);
        copy.close();
    }

    /** One trace after the other, of which the region could hold two at a time. */
    private void sweepTraces(Ttnn ttnn, MeshDevice mesh) {
        for (int capture = 0; capture < 3; capture++) {
            TraceId trace = ttnn.beginTraceCapture(mesh);
            try {
                ttnn.endTraceCapture(mesh, trace, 0, 1_000);
            } catch (MeshRuntimeException refusal) {
                rejectedCaptures.add(refusal.getMessage());
            }
            ttnn.releaseTrace(mesh, trace);
        }
    }

    private static void deallocateEvenIfItCrashes(Tensor tensor) {
        try {
            tensor.close();
        } catch (IllegalStateException crash) {
            Assertions.assertThat(crash).hasMessageStartingWith("Segmentation fault");
        }
    }

    private Consumer<AllocationTracker> check(String name) {
        return switch (name) {
            case "hasBalancedReports" -> tracker -> assertThat(tracker).hasBalancedReports();
            case "onlyExpectedSystemBuffers" -> tracker -> assertThat(tracker).onlyExpectedSystemBuffers();
            case "books read as EVERY_REPORT", LEDGER_OF_A_LATE_FREE ->
                tracker -> Assertions.assertThat(tracker.history().ledger(EVERY_REPORT))
                        .matches(PolicyLedger::isEmpty, "is empty");
            case "noLeaks" -> tracker -> assertThat(tracker).noLeaks();
            case LEAKS_OF_A_SWEEP -> tracker -> assertThat(tracker).noLeaks();
            case CAPTURES_OF_A_SWEEP ->
                tracker -> Assertions.assertThat(rejectedCaptures).isEmpty();
            case OF_LIVING_PROGRAMS ->
                tracker -> Assertions.assertThat(l1WhileTheCacheIsFull)
                        .as("L1 of the cached add on device 0")
                        .isEqualTo(3 * 4_096);
            default -> throw new IllegalArgumentException(name);
        };
    }
}
