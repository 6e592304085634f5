package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
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
    private final Ttnn ttnn = with(FaultPlan.none());
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
    private final List<String> asked = new ArrayList<>();
    private final AllocationDecision never = (memory, devices) -> {
        asked.add(memory + " on " + devices);
        return Optional.empty();
    };

    @Test
    void failsWithTheErrorOfTheRuntimeAndANote() {
        reports.forget();

        DeviceOutOfMemoryException error;
        try (Scope deciding = ttnn.decideAllocations(ALWAYS)) {
            error = catchThrowableOfType(DeviceOutOfMemoryException.class, () -> mesh.allocate(BufferType.DRAM, 2_048));
        }

        assertThat(error)
                .hasMessageStartingWith(
                        "Out of Memory: Not enough space to allocate 2048 B DRAM buffer across 12 banks");
        assertThat(InjectedFault.in(error)).hasValueSatisfying(note -> {
            assertThat(note.fault()).isSameAs(FAULT);
            assertThat(note).hasMessage("Injected: failingAllocation(7), of FaultPlan.none().failingAllocation(7)");
        });
        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void isAskedOnceForAMeshBufferAndForWhatLiesOnOneDevice() {

        try (Scope deciding = ttnn.decideAllocations(never)) {
            mesh.allocate(BufferType.DRAM, 2_048);
            mesh.allocateOn(1, DRAM);
            mesh.view(DRAM, 4_194_304);
        }

        assertThat(asked).containsExactly("DRAM on [0, 1]", "DRAM on [1]");
    }

    @Test
    void isAskedFromTheBeginningToTheEndOfItsOwnScope() {
        mesh.allocate(BufferType.DRAM, 2_048);
        Scope first = ttnn.decideAllocations(never);
        Scope second = ttnn.decideAllocations(never);

        first.close();
        first.close();
        mesh.allocate(BufferType.DRAM, 2_048);
        second.close();
        mesh.allocate(BufferType.DRAM, 2_048);

        assertThat(asked).hasSize(1);
    }

    @Test
    void isNotAskedAboutWhatThePlanLetsFail() {
        Ttnn failing = with(FaultPlan.none().failingAllocation(1));
        MeshDevice other = failing.openMeshDevice(MeshShape.of(1, 2));

        try (Scope deciding = failing.decideAllocations(never)) {
            assertThatThrownBy(() -> other.allocate(BufferType.DRAM, 2_048))
                    .isInstanceOf(DeviceOutOfMemoryException.class);
        }

        assertThat(asked).isEmpty();
    }

    @Test
    void whatADecisionThrowsLeavesTheAllocationWithNothingTaken() {
        IllegalStateException thrown = new IllegalStateException("enough");

        try (Scope deciding = ttnn.decideAllocations((memory, devices) -> {
            throw thrown;
        })) {
            assertThatThrownBy(() -> mesh.allocate(BufferType.DRAM, 2_048)).isSameAs(thrown);
        }

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        assertThatCode(() -> mesh.allocate(BufferType.DRAM, 2_048)).doesNotThrowAnyException();
    }

    private Ttnn with(FaultPlan plan) {
        return Ttnn.builder(reports).faults(plan).build();
    }
}
