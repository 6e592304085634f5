package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.tracker.script.ExpectedText.expected;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.CollectedGarbage;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.lang.ref.WeakReference;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * A model and its layer refer to each other and are otherwise unreachable: a reference cycle, the usual way of losing a tensor
 * in Python.
 */
class LostTensorTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void aLostTensorIsALeak() {
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        WeakReference<Model> model = new WeakReference<>(new Model(ttnn, mesh));
        CollectedGarbage.collect(model);
        ttnn.closeMeshDevice(mesh);

        assertThat(LeakCheck.create().examine(tracker.history()))
                .hasOutcome(Outcome.LEAKED)
                .hasLiveBuffers(2);
    }

    @Test
    void aDestructorFreesItWithTheNextCollection() {
        Ttnn ttnn =
                Ttnn.builder(tracker).handleRelease(HandleRelease.ON_COLLECT).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        WeakReference<Model> model = new WeakReference<>(new Model(ttnn, mesh));
        CollectedGarbage.collect(model);
        ttnn.closeMeshDevice(mesh);

        assertThat(tracker).noLeaks().hasBalancedReports();
        Assertions.assertThat(tracker.history().events())
                .filteredOn(HistoryEvent.Freed.class::isInstance)
                .extracting(event -> event.toString().replaceFirst("^#\\d+ ", ""))
                .containsExactly(
                        "freed DRAM 0x2d4c40 (2968640) on device 0, when its handle was collected",
                        "freed DRAM 0x2d4c40 (2968640) on device 1, when its handle was collected");
        Assertions.assertThat(VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                        .text())
                .contains(expected(
                        tracker.history(),
                        "note    2 buffers were freed when their handles were collected; the first at {freed 1}:"
                                + " DRAM 0x2d4c40 (2968640) on"));
    }

    @Test
    void withoutACollectionBeforeTheCloseItIsALeakEvenSo() {
        Ttnn ttnn =
                Ttnn.builder(tracker).handleRelease(HandleRelease.ON_COLLECT).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        Model model = new Model(ttnn, mesh);
        ttnn.closeMeshDevice(mesh);

        assertThat(LeakCheck.create().examine(tracker.history()))
                .hasOutcome(Outcome.LEAKED)
                .hasLiveBuffers(2);
        Assertions.assertThat(model.layer.weights.isAllocated()).isTrue();
    }

    private static final class Model {
        private final Layer layer;

        Model(Ttnn ttnn, MeshDevice mesh) {
            this.layer = new Layer(this, ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh));
        }
    }

    private record Layer(Model model, Tensor weights) {}
}
