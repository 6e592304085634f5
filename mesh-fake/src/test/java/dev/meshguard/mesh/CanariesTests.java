package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the reports by which an opened mesh shows that its reports arrive. */
class CanariesTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void oneComesFromEveryDeviceAndGoesBeforeAnythingElseIsAllocated() {
        Ttnn.create(tracker).openMeshDevice(MeshShape.of(1, 2));

        assertThat(eventsOfKind(
                        HistoryEvent.SourceAttached.class,
                        HistoryEvent.MeshOpened.class,
                        HistoryEvent.CanaryPlanted.class,
                        HistoryEvent.CanarySeen.class,
                        HistoryEvent.CanaryFreed.class,
                        HistoryEvent.DeviceOpened.class))
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly(
                        "SourceAttached",
                        "MeshOpened",
                        "CanaryPlanted",
                        "CanarySeen",
                        "CanaryFreed",
                        "DeviceOpened",
                        "DeviceOpened");
        assertThat(canaries())
                .containsExactly(
                        new HistoryEvent.CanaryPlanted(4, 0, List.of(0, 1)),
                        new HistoryEvent.CanarySeen(5, 0, List.of(0, 1)),
                        new HistoryEvent.CanaryFreed(6, 0, List.of(0, 1)));
    }

    @Test
    void theSourceIsAttachedBeforeAnyMeshIsOpened() {
        Ttnn.create(tracker);

        assertThat(tracker.history().events())
                .containsExactly(new HistoryEvent.SourceAttached(1, SourceDescription.of("mesh-fake")));
    }

    @Test
    void everyMeshHasItsOwn() {
        MeshDevice mesh = Ttnn.create(tracker).openMeshDevice(MeshShape.of(1, 2));
        mesh.createSubmesh(MeshShape.of(1, 1));

        assertThat(canaries())
                .filteredOn(HistoryEvent.CanarySeen.class::isInstance)
                .extracting(event -> ((HistoryEvent.CanarySeen) event).mesh())
                .containsExactly(0, 1);
    }

    /** What they would show is a road that is cut, and none of these is cut when a mesh is opened. */
    @ParameterizedTest
    @EnumSource
    void arriveWhateverElseIsWrong(RuntimeDefect defect) {
        Ttnn.builder(tracker).defects(defect).build().openMeshDevice(MeshShape.of(1, 2));

        assertThat(canaries())
                .hasSize(3)
                .allSatisfy(event -> assertThat(devicesOf(event)).containsExactly(0, 1));
    }

    private List<HistoryEvent> canaries() {
        return eventsOfKind(
                HistoryEvent.CanaryPlanted.class, HistoryEvent.CanarySeen.class, HistoryEvent.CanaryFreed.class);
    }

    private List<HistoryEvent> eventsOfKind(Class<?>... kinds) {
        Set<Class<?>> wanted = Set.of(kinds);
        return tracker.history().events().stream()
                .filter(event -> wanted.contains(event.getClass()))
                .toList();
    }

    private static List<Integer> devicesOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.CanarySeen seen) {
            return seen.devices();
        }
        return event instanceof HistoryEvent.CanaryFreed freed
                ? freed.devices()
                : ((HistoryEvent.CanaryPlanted) event).devices();
    }
}
