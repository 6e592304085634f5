package dev.meshguard.samples.pages;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;

/** The verdict that {@code docs/traces.md} shows and no other sample prints. */
class VerdictsPage {

    String overlap() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 4));
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 2));
        Tensor weights = weights(ttnn, mesh);
        Tensor activations = activations(ttnn, submesh);
        ttnn.deallocate(activations);
        submesh.close();
        ttnn.deallocate(weights);
        ttnn.closeMeshDevice(mesh);
        tracker.checked();
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }

    private static Tensor weights(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
    }

    private static Tensor activations(Ttnn ttnn, MeshDevice submesh) {
        return ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, submesh);
    }
}
