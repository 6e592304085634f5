package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.leakOf;
import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.lang.reflect.Proxy;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class MeshAssertTests {

    @Test
    void asksTheTrackerOfTheMesh() {
        MeshDevice mesh = Ttnn.create(AllocationTracker.create()).openMeshDevice();

        assertThat(mesh).hasLiveBuffers(0);
        mesh.close();
        assertThat(mesh).noLeaks();
    }

    @Test
    void anOpenMeshCannotBeKnownToHaveNoLeaks() {
        MeshDevice mesh = Ttnn.create(AllocationTracker.create()).openMeshDevice();

        LeakAssertionError failure = leakOf(() -> assertThat(mesh).noLeaks());

        Assertions.assertThat(failure.verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        Assertions.assertThat(failure).hasMessageContaining("is still open");
    }

    @Test
    void aMeshWithAnotherListenerHasNothingToAsk() {
        AllocationTracker behind = AllocationTracker.create();
        AllocationListener other = (AllocationListener) Proxy.newProxyInstance(
                MeshAssertTests.class.getClassLoader(),
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
}
