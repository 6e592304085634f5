package dev.meshguard.junit;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.AllocationTracker;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What a test can ask for, as a parameter or in a field. */
final class Gifts {

    private static final Set<MemorySource> ALL = EnumSet.allOf(MemorySource.class);

    private static final Map<Class<?>, Gift> BY_TYPE = Map.of(
            MeshDevice.class, new Gift(Set.of(MemorySource.FAKE), AllocationGuard::mesh),
            Ttnn.class, new Gift(Set.of(MemorySource.FAKE), AllocationGuard::ttnn),
            TrackedProcesses.class, new Gift(Set.of(MemorySource.PROCESSES), AllocationGuard::processes),
            AllocationServer.class, new Gift(Set.of(MemorySource.PROCESSES), AllocationGuard::server),
            AllocationTracker.class, new Gift(ALL, AllocationGuard::tracker),
            MeshSnapshots.class, new Gift(ALL, guard -> new MeshSnapshots(guard.tracker())),
            Phases.class, new Gift(ALL, guard -> new Phases(guard.tracker())));

    /** What is given, and whose memory a test has to be about to get it. */
    private record Gift(Set<MemorySource> sources, Function<AllocationGuard, Object> from) {}

    private Gifts() {}

    static boolean has(Class<?> type) {
        return BY_TYPE.containsKey(type);
    }

    /** Returns what a guard gives of a type that there is. */
    static Object of(Class<?> type, AllocationGuard guard) {
        Gift gift = BY_TYPE.get(type);
        if (gift == null) {
            throw new IllegalArgumentException("There is nothing of " + type);
        }
        if (!gift.sources.contains(guard.source())) {
            throw GuardSettings.refused(
                    guard.name(),
                    "a " + type.getSimpleName() + " with source = " + guard.source(),
                    "Say source = " + gift.sources.iterator().next() + " in @TrackAllocations or MeshGuardExtension.");
        }
        return gift.from.apply(guard);
    }

    /** Returns the simple names of the types, for messages. */
    static List<String> names() {
        return BY_TYPE.keySet().stream().map(Class::getSimpleName).sorted().toList();
    }
}
