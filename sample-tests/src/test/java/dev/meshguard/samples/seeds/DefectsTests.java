package dev.meshguard.samples.seeds;

import static dev.meshguard.assertions.MeshAssertions.assertThat;
import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.DEVICE_INITIALISED_TWICE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static dev.meshguard.tracker.history.CountingPolicy.EVERY_REPORT;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Owner;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each defect that the seeds met, switched on and off: on, one check is red and names the cause; off, the same check is
 * green.
 */
class DefectsTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    static Stream<Arguments> defects() {
        return Stream.of(
                arguments(
                        NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
                        "hasBalancedReports",
                        "DRAM 8 KiB (8192 B) x 8   devices ●●●●●●●●   FREE_UNREPORTED"),
                arguments(
                        MESH_BUFFER_DEALLOCATE_RETURNS_EARLY,
                        "hasBalancedReports",
                        "DRAM 8 KiB (8192 B) x 8   devices ●●●●●●●●   FREE_UNREPORTED"),
                arguments(
                        BACKING_BUFFERS_REPORTED_AS_DEVICE_0,
                        "books read as EVERY_REPORT",
                        "reported 2 times at one live address: DRAM 0x2d4c40 (2968640) on device 0"),
                arguments(
                        CIRCULAR_BUFFERS_NEVER_REPORTED_FREE,
                        "hasBalancedReports",
                        "L1 4 KiB (4096 B) x 24   devices ●●●●●●●●   CIRCULAR_BUFFER_UNREPORTED: program 1 (add) ended"),
                arguments(
                        BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED,
                        "hasBalancedReports",
                        "FREE_UNREPORTED: its handle was released after the device was closed"),
                arguments(
                        ALLOCATOR_CLEARS_WITHOUT_REPORTING,
                        "hasBalancedReports",
                        "DRAM 4 KiB (4096 B) x 8   devices ●●●●●●●●   FREE_UNREPORTED"),
                arguments(
                        DEVICE_INITIALISED_TWICE,
                        "onlyExpectedSystemBuffers",
                        "DRAM 4 KiB (4096 B) x 8   devices ●●●●●●●●   SYSTEM: owned by command queue \"0\", lifetime SYSTEM"));
    }

    @ParameterizedTest
    @MethodSource("defects")
    void turnsItsCheckRedAndNamesTheCause(RuntimeDefect defect, String check, String cause) {
        run(defect);

        assertThatThrownBy(() -> check(check).accept(tracker))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(cause);
    }

    @ParameterizedTest
    @MethodSource("defects")
    void leavesItsCheckGreenWhenItIsOff(RuntimeDefect defect, String check, String cause) {
        run();

        assertThatCode(() -> check(check).accept(tracker)).doesNotThrowAnyException();
    }

    @Test
    void areAllHere() {
        Assertions.assertThat(defects().map(arguments -> arguments.get()[0]))
                .containsExactlyInAnyOrderElementsOf(Arrays.asList(RuntimeDefect.values()));
    }

    /** One program that meets them all: tensors, an operation, the runtime's own buffers, and a free after the close. */
    private void run(RuntimeDefect... defects) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), BufferType.DRAM, 4_096)
                .defects(defects)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        Tensor a = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        Tensor b = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        Tensor sum = ttnn.add(a, b);
        ttnn.deallocate(a);
        ttnn.deallocate(b);
        mesh.disableAndClearProgramCache();
        ttnn.closeMeshDevice(mesh);
        ttnn.deallocate(sum);
    }

    private static Consumer<AllocationTracker> check(String name) {
        return switch (name) {
            case "hasBalancedReports" -> tracker -> assertThat(tracker).hasBalancedReports();
            case "onlyExpectedSystemBuffers" -> tracker -> assertThat(tracker).onlyExpectedSystemBuffers();
            case "books read as EVERY_REPORT" ->
                tracker -> assertThat(tracker.history().books(EVERY_REPORT)).areEmpty();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
