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

/** The types that a test can declare as a parameter or a field. */
final class InjectableTypes {

    private static final Set<MemorySource> ALL = EnumSet.allOf(MemorySource.class);

    private static final Map<Class<?>, Injectable> BY_TYPE = Map.of(
            MeshDevice.class, new Injectable(Set.of(MemorySource.FAKE), TrackingSession::mesh),
            Ttnn.class, new Injectable(Set.of(MemorySource.FAKE), TrackingSession::ttnn),
            TrackedProcesses.class, new Injectable(Set.of(MemorySource.PROCESSES), TrackingSession::processes),
            AllocationServer.class, new Injectable(Set.of(MemorySource.PROCESSES), TrackingSession::server),
            AllocationTracker.class, new Injectable(ALL, TrackingSession::tracker),
            MemorySnapshots.class, new Injectable(ALL, session -> new MemorySnapshots(session.tracker())),
            Phases.class, new Injectable(ALL, session -> new Phases(session.tracker())));

    /** The supplier of a type, and the memory sources for which it is available. */
    private record Injectable(Set<MemorySource> sources, Function<TrackingSession, Object> from) {}

    private InjectableTypes() {}

    static boolean has(Class<?> type) {
        return BY_TYPE.containsKey(type);
    }

    /** Returns the value of a supported type from a session. */
    static Object of(Class<?> type, TrackingSession session) {
        Injectable gift = BY_TYPE.get(type);
        if (gift == null) {
            throw new IllegalArgumentException("There is nothing of " + type);
        }
        if (!gift.sources.contains(session.source())) {
            throw TrackingSettings.rejected(
                    session.name(),
                    "a " + type.getSimpleName() + " with source = " + session.source(),
                    "Say source = " + gift.sources.iterator().next() + " in @TrackAllocations or MeshGuardExtension.");
        }
        return gift.from.apply(session);
    }

    /** Returns the simple names of the types, for messages. */
    static List<String> names() {
        return BY_TYPE.keySet().stream().map(Class::getSimpleName).sorted().toList();
    }
}
