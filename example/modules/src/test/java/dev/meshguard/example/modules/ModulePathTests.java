package dev.meshguard.example.modules;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mockito.MockReports;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.handle.HandleSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@TrackAllocations
class ModulePathTests {

    private final List<Tensor> cache = new ArrayList<>();

    @Test
    void everyModuleIsAModule() {
        assertThat(Stream.of(
                                AllocationTracker.class,
                                Ttnn.class,
                                VerdictReport.class,
                                LeakAssertions.class,
                                MockReports.class,
                                TrackAllocations.class,
                                ModulePathTests.class)
                        .map(type -> type.getModule().getName()))
                .containsExactly(
                        "dev.meshguard.tracker",
                        "dev.meshguard.mesh",
                        "dev.meshguard.report",
                        "dev.meshguard.assertions",
                        "dev.meshguard.mockito",
                        "dev.meshguard.junit",
                        "dev.meshguard.example.modules");
    }

    @Test
    void freesWhatItAllocates(Ttnn ttnn, MeshDevice mesh) {
        Tensor a = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
        ttnn.deallocate(ttnn.add(a, a));
        ttnn.deallocate(a);
    }

    @FailEachAllocation
    void freesWhatItAllocatesWhateverFails(Ttnn ttnn, MeshDevice mesh) {
        ttnn.deallocate(ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh));
    }

    @Test
    @TrackAllocations(check = AllocationCheck.NONE)
    void whoHoldsALeakIsFoundInAFieldOfAModule(Ttnn ttnn, MeshDevice mesh, AllocationTracker tracker) {
        cache.add(ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh));
        mesh.close();
        HandleSearch.from(this).trace(tracker, tracker.history());

        assertThatThrownBy(() -> assertThat(tracker).noLeaks())
                .isInstanceOf(LeakAssertionError.class)
                .hasMessageStartingWith("LEAK  ")
                .hasMessageContaining("HELD: still referenced by ModulePathTests.cache -> ArrayList[0]");
    }
}
