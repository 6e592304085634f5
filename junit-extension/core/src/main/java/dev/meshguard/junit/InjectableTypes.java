package dev.meshguard.junit;

import dev.meshguard.junit.internal.config.TestConfiguration;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The types that a test can declare as a parameter or a field: those of every session, and those of the sources. */
final class InjectableTypes {

    private static final Map<Class<?>, Function<TrackingSession, Object>> OF_SESSION = Map.of(
            AllocationTracker.class, TrackingSession::tracker,
            MemorySnapshots.class, session -> new MemorySnapshots(session.tracker()),
            Phases.class, session -> new Phases(session.tracker()));

    private InjectableTypes() {}

    static boolean has(Class<?> type, ExtensionContext context) {
        return OF_SESSION.containsKey(type)
                || TestConfiguration.sources(context).ofParameter(type).isPresent();
    }

    /** Returns the value of a supported type from a session. */
    static Object of(Class<?> type, TrackingSession session) {
        Function<TrackingSession, Object> ofSession = OF_SESSION.get(type);
        return ofSession == null ? session.resolve(type) : ofSession.apply(session);
    }

    /** Returns the simple names of the types, for messages. */
    static List<String> names(ExtensionContext context) {
        Stream<String> ofSession = OF_SESSION.keySet().stream().map(Class::getSimpleName);
        return Stream.concat(ofSession, TestConfiguration.sources(context).parameterNames().stream())
                .sorted()
                .toList();
    }
}
