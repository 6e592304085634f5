package dev.meshguard.junit;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a test can ask for, as a parameter or in a field. */
final class Gifts {

    private static final Map<Class<?>, Function<AllocationGuard, Object>> BY_TYPE = Map.of(
            MeshDevice.class, AllocationGuard::mesh,
            Ttnn.class, AllocationGuard::ttnn,
            AllocationTracker.class, AllocationGuard::tracker,
            MeshSnapshots.class, guard -> new MeshSnapshots(guard.tracker()),
            Phases.class, guard -> new Phases(guard.tracker()));

    private Gifts() {}

    static boolean has(Class<?> type) {
        return BY_TYPE.containsKey(type);
    }

    /** Returns what a guard gives of a type that there is. */
    static Object of(Class<?> type, AllocationGuard guard) {
        Function<AllocationGuard, Object> gift = BY_TYPE.get(type);
        if (gift == null) {
            throw new IllegalArgumentException("There is nothing of " + type);
        }
        return gift.apply(guard);
    }

    /** Returns the simple names of the types, for messages. */
    static List<String> names() {
        return BY_TYPE.keySet().stream().map(Class::getSimpleName).sorted().toList();
    }
}
