package dev.meshguard.samples.faults;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Tests the memory that code does not free after an error of the runtime, which is the source of most leaks. */
class RuntimeFaultsTests {

    private static final TensorShape SHAPE = TensorShape.of(32, 32);

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void codeThatForgetsWhatItHasWhenMemoryRunsOutLeaks() {
        Ttnn ttnn = with(FaultPlan.none().failingAllocation(3, BufferType.DRAM));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        assertThatThrownBy(() -> loadCarelessly(ttnn, mesh)).isInstanceOf(DeviceOutOfMemoryException.class);
        ttnn.closeMeshDevice(mesh);

        assertThatThrownBy(() -> assertThat(tracker).noLeaks()).hasMessageStartingWith("""
                        LEAK  8 KiB in 4 DRAM buffers, UNEXPLAINED; allocated in RuntimeFaultsTests.java:126

                        1. DRAM  4 x 2 KiB, 2 on each of devices 0-1
                           at dev.meshguard.samples.faults.RuntimeFaultsTests.loadCarelessly(""");
    }

    @Test
    void codeThatFreesWhatItHasWhenMemoryRunsOutDoesNot() {
        Ttnn ttnn = with(FaultPlan.none().failingAllocation(3, BufferType.DRAM));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        assertThatThrownBy(() -> loadCarefully(ttnn, mesh)).isInstanceOf(DeviceOutOfMemoryException.class);
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).noLeaks().hasBalancedReports();
    }

    @Test
    void aFailingOperationFreesItsResultAndLeavesItsProgramsCached() {
        Ttnn ttnn = with(FaultPlan.none().failingOperation(1, "add"));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);

        assertThatThrownBy(() -> ttnn.add(a, a)).hasMessageStartingWith("Operation add failed");
        ttnn.deallocate(a);
        ttnn.closeMeshDevice(mesh);

        Assertions.assertThat(verdict().survivors())
                .isNotEmpty()
                .extracting(Survivor::cause)
                .containsOnly(Cause.CACHED);
    }

    @Test
    void freesTheMemoryOfADeviceThatDoesNotAnswer() {
        Ttnn ttnn = with(FaultPlan.none().deviceStopsAnswering(1, 1));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);

        assertThatThrownBy(() -> ttnn.add(a, a))
                .hasMessage("TIMEOUT: device timeout, potential hang detected, the device is unrecoverable");
        ttnn.deallocate(a);
        mesh.disableAndClearProgramCache();
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).noLeaks().hasBalancedReports();
    }

    @Test
    void theOrderInWhichDevicesCloseSaysNothingOfLeaks() {
        Ttnn ttnn = with(FaultPlan.none().closingDevicesInOrder(1, 0).closingTwice());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        ttnn.deallocate(ttnn.empty(SHAPE, DataType.BFLOAT16, mesh));
        Tensor left = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        ttnn.closeMeshDevice(mesh);

        assertThat(verdict()).hasOutcome(Outcome.LEAKED);
        Assertions.assertThat(verdict().survivors())
                .extracting(survivor -> survivor.buffer().address())
                .containsExactly(left.address(), left.address());
    }

    @Test
    void theResultOfAnOperationWhoseMeshIsClosedIsFreedTooLateForTheRuntimeToReport() {
        Ttnn ttnn = Ttnn.builder(tracker)
                .reporting(ReportingModel.MAIN)
                .faults(FaultPlan.none().closingDuringOperation(1))
                .build();
        Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, ttnn.openMeshDevice(MeshShape.of(1, 2)));

        assertThatThrownBy(() -> ttnn.add(a, a)).isInstanceOf(MeshRuntimeException.class);
        ttnn.deallocate(a);

        Assertions.assertThat(verdict().survivors())
                .hasSize(4)
                .extracting(Survivor::cause)
                .containsOnly(Cause.LATE);
    }

    private static List<Tensor> loadCarelessly(Ttnn ttnn, MeshDevice mesh) {
        List<Tensor> layers = new ArrayList<>();
        for (int layer = 0; layer < 4; layer++) {
            layers.add(ttnn.empty(SHAPE, DataType.BFLOAT16, mesh));
        }
        return layers;
    }

    private static List<Tensor> loadCarefully(Ttnn ttnn, MeshDevice mesh) {
        List<Tensor> layers = new ArrayList<>();
        try {
            for (int layer = 0; layer < 4; layer++) {
                layers.add(ttnn.empty(SHAPE, DataType.BFLOAT16, mesh));
            }
            return layers;
        } catch (MeshRuntimeException failure) {
            layers.forEach(Tensor::deallocate);
            throw failure;
        }
    }

    private Ttnn with(FaultPlan plan) {
        return Ttnn.builder(tracker).faults(plan).build();
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }
}
