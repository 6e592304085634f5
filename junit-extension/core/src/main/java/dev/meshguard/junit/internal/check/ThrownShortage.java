package dev.meshguard.junit.internal.check;

import dev.meshguard.event.MemoryRejection;
import dev.meshguard.event.MemoryShortage;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import org.opentest4j.MultipleFailuresError;

/** Finds the lack of memory for which a test failed. */
final class ThrownShortage {

    private ThrownShortage() {}

    /**
     * Returns the shortage of an error, of its causes and of the errors that it collects; the outermost wins.
     *
     * <p>Suppressed errors are left out: they came after the failure.
     */
    static Optional<MemoryShortage> of(Optional<Throwable> thrown) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> next = new ArrayDeque<>();
        thrown.ifPresent(next::add);
        while (!next.isEmpty()) {
            Throwable error = next.remove();
            if (!seen.add(error)) {
                continue;
            }
            if (error instanceof MemoryRejection rejection
                    && rejection.shortage().isPresent()) {
                return rejection.shortage();
            }
            Optional.ofNullable(error.getCause()).ifPresent(next::add);
            if (error instanceof MultipleFailuresError several) {
                next.addAll(several.getFailures());
            }
        }
        return Optional.empty();
    }
}
