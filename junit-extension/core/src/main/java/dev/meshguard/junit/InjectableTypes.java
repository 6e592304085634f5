package dev.meshguard.junit;

import dev.meshguard.junit.internal.config.Sources;
import dev.meshguard.junit.internal.config.TestConfiguration;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The types that a test can declare as a parameter or a field: those of every session, and those of the sources. */
final class InjectableTypes {

    private InjectableTypes() {}

    static boolean has(Class<?> type, ExtensionContext context) {
        return Sources.SESSION_TYPES.contains(type)
                || TestConfiguration.sources(context).ofParameter(type).isPresent();
    }

    /** Returns the value of a supported type from a session. */
    static Object of(Class<?> type, TrackingSession session) {
        if (type == AllocationTracker.class) {
            return session.handedOutTracker();
        }
        if (type == MemorySnapshots.class) {
            return new MemorySnapshots(session);
        }
        return type == Phases.class ? new Phases(session.tracker()) : session.resolve(type);
    }

    /** Returns the simple names of the types, for messages. */
    static List<String> names(ExtensionContext context) {
        Stream<String> ofSession = Sources.SESSION_TYPES.stream().map(Class::getSimpleName);
        return Stream.concat(ofSession, TestConfiguration.sources(context).parameterNames().stream())
                .sorted()
                .toList();
    }
}
