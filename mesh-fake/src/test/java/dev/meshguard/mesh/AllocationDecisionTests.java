package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.fault.AllocationDecision;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.fault.InjectedFault;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests allocations that fail by a decision at run time. */
class AllocationDecisionTests {

    private static final BufferConfig DRAM = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final Fault.AllocationFails FAULT =
            new Fault.AllocationFails(7, Optional.empty(), OptionalInt.empty());
    private static final AllocationDecision ALWAYS = (memory, devices) -> Optional.of(FAULT);

    private final RecordedReports reports = new RecordedReports();
    private final List<String> asked = new ArrayList<>();
    private final AllocationDecision never = (memory, devices) -> {
        asked.add(memory + " on " + devices);
        return Optional.empty();
    };

    @Test
    void failsWithTheErrorOfTheRuntimeAndANote() {
        Ttnn ttnn = with(FaultPlan.none());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        reports.forget();

        DeviceOutOfMemoryException error;
        try (Scope deciding = ttnn.decideAllocations(ALWAYS)) {
            error = catchThrowableOfType(DeviceOutOfMemoryException.class, () -> allocate(mesh));
        }

        assertThat(error)
                .hasMessageStartingWith(
                        "Out of Memory: Not enough space to allocate 2048 B DRAM buffer across 12 banks, where each bank"
                                + " needs to store 2048 B, but bank size is 1070773184 B (allocated: 0 B, free: 1070773184 B,"
                                + " largest free block: 1070773184 B)\n");
        assertThat(InjectedFault.in(error)).hasValueSatisfying(note -> {
            assertThat(note.fault()).isSameAs(FAULT);
            assertThat(note).hasMessage("Injected: failingAllocation(7), of FaultPlan.none().failingAllocation(7)");
        });
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isAskedOnceForAMeshBufferAndForWhatLiesOnOneDevice() {
        Ttnn ttnn = with(FaultPlan.none());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        try (Scope deciding = ttnn.decideAllocations(never)) {
            allocate(mesh);
            mesh.allocateOn(1, DRAM);
            mesh.view(MeshBufferConfig.replicated(DRAM), 4_194_304);
        }

        assertThat(asked).containsExactly("DRAM on [0, 1]", "DRAM on [1]");
    }

    @Test
    void isNotAskedBeforeAndAfter() {
        Ttnn ttnn = with(FaultPlan.none());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        allocate(mesh);

        ttnn.decideAllocations(never).close();
        allocate(mesh);

        assertThat(asked).isEmpty();
    }

    @Test
    void endsWithItsOwnScopeOnly() {
        Ttnn ttnn = with(FaultPlan.none());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        Scope first = ttnn.decideAllocations(never);
        Scope second = ttnn.decideAllocations(never);

        first.close();
        first.close();
        allocate(mesh);

        assertThat(asked).hasSize(1);
        second.close();
    }

    @Test
    void isNotAskedAboutWhatThePlanLetsFail() {
        Ttnn ttnn = with(FaultPlan.none().failingAllocation(1));
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

        try (Scope deciding = ttnn.decideAllocations(never)) {
            assertThatThrownBy(() -> allocate(mesh)).isInstanceOf(DeviceOutOfMemoryException.class);
        }

        assertThat(asked).isEmpty();
    }

    @Test
    void whatADecisionThrowsLeavesTheAllocationWithNothingTaken() {
        Ttnn ttnn = with(FaultPlan.none());
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
        IllegalStateException thrown = new IllegalStateException("enough");

        try (Scope deciding = ttnn.decideAllocations((memory, devices) -> {
            throw thrown;
        })) {
            assertThatThrownBy(() -> allocate(mesh)).isSameAs(thrown);
        }

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThatCode(() -> allocate(mesh)).doesNotThrowAnyException();
    }

    private Ttnn with(FaultPlan plan) {
        return Ttnn.builder(reports).faults(plan).build();
    }

    private static void allocate(MeshDevice mesh) {
        mesh.allocate(MeshBufferConfig.replicated(DRAM));
    }
}
