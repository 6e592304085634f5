package dev.meshguard.samples.faults;

import static dev.meshguard.mesh.fault.ReportKind.ALLOCATION;
import static dev.meshguard.mesh.fault.ReportKind.FREE;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import org.junit.jupiter.api.Test;

class ReportFaultsTests {

    private void show(String name, FaultPlan plan, boolean leak) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker).faults(plan).build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Tensor a = ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh);
        if (!leak) ttnn.deallocate(a);
        ttnn.closeMeshDevice(mesh);
        System.out.println("XX === " + name + " " + ttnn.outstandingFaults());
        VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                .toString()
                .lines()
                .forEach(l -> System.out.println("XX " + l));
    }

    @Test
    void x() {
        show("lostfree", FaultPlan.none().losingReport(1, FREE).onDevice(1), false);
        show("lostalloc", FaultPlan.none().losingReport(1, ALLOCATION).onDevice(1), false);
        show("lostalloc leak", FaultPlan.none().losingReport(1, ALLOCATION).onDevice(1), true);
        show("noticed", FaultPlan.none().losingReport(1, FREE).noticed(), false);
        show("doubled alloc", FaultPlan.none().doublingReport(1, ALLOCATION).onDevice(1), false);
        show("doubled free", FaultPlan.none().doublingReport(1, FREE).onDevice(1), false);
        show("delayed free", FaultPlan.none().delayingReport(1, FREE, 100).onDevice(1), false);
        show("delayed alloc", FaultPlan.none().delayingReport(1, ALLOCATION, 1).onDevice(1), false);
        show(
                "delayed alloc past close",
                FaultPlan.none().delayingReport(1, ALLOCATION, 100).onDevice(1),
                false);
        show("reordered", FaultPlan.none().reorderingReports(2, 1), false);
    }
}
