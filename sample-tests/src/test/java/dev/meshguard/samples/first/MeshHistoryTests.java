package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.budget.BudgetSpec;
import java.lang.reflect.Proxy;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Assertions about a mesh are assertions about the history of its tracker. */
class MeshHistoryTests {

    @Test
    void asksTheTrackerOfTheMesh() {
        MeshDevice mesh = Ttnn.create(AllocationTracker.create()).openMeshDevice();

        assertThat(mesh).hasLiveBuffers(0);
        mesh.close();
        assertThat(mesh).noLeaks();
    }

    @Test
    void aMeshWithAnotherListenerHasNothingToAsk() {
        AllocationTracker behind = AllocationTracker.create();
        AllocationListener other = (AllocationListener) Proxy.newProxyInstance(
                MeshHistoryTests.class.getClassLoader(),
                new Class<?>[] {AllocationListener.class},
                (proxy, method, arguments) -> method.invoke(behind, arguments));
        MeshDevice mesh = Ttnn.create(other).openMeshDevice();

        Assertions.assertThat(textOf(() -> assertThat(mesh).hasLiveBuffers(0)))
                .isEqualTo("""

                Expecting:
                  MeshDevice(2x4 grid, 8 devices)
                to report to an AllocationTracker, but it reports to a %s, which keeps no history.
                Open it with Ttnn.create(AllocationTracker.create()), or assert on the tracker behind its listener.""".formatted(other.getClass().getName()));
    }

    @Test
    void howFreeMemoryLiesIsAskedOfAMeshThatIsOpen() {
        MeshDevice mesh = Ttnn.create(AllocationTracker.create()).openMeshDevice();

        assertThat(mesh).staysWithin(BudgetSpec.of(DRAM).largestFreeBlock(1));
        Assertions.assertThat(textOf(
                        () -> assertThat(mesh).staysWithin(BudgetSpec.of(DRAM).largestFreeBlock(1L << 40))))
                .contains("largest free block 10");
        mesh.close();
        Assertions.assertThat(textOf(
                        () -> assertThat(mesh).staysWithin(BudgetSpec.of(DRAM).largestFreeBlock(1))))
                .startsWith("BUDGET NOT CHECKED  1 limit of 1 budget cannot be checked");
    }

    private static String textOf(ThrowingCallable assertion) {
        return catchThrowableOfType(AssertionError.class, assertion)
                .getMessage()
                .replace(System.lineSeparator(), "\n");
    }
}
