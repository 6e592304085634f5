package dev.meshguard.junit.internal.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.opentest4j.MultipleFailuresError;

/**
 * The error that a test threw, with the errors inside it: causes and suppressed ones.
 *
 * @param thrown the error, if the test threw one
 */
record ThrownErrors(Optional<Throwable> thrown) {

    /** Returns those of a type among the error, its causes and the errors that it collects; the outermost first. */
    <T> Stream<T> causes(Class<T> type) {
        return inside(type, false);
    }

    /** Returns those of a type among the error, its causes, and all that these collect or suppress; the outermost first. */
    <T> Stream<T> all(Class<T> type) {
        return inside(type, true);
    }

    private <T> Stream<T> inside(Class<T> type, boolean withSuppressed) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> found = new ArrayList<>();
        Deque<Throwable> next = new ArrayDeque<>();
        thrown.ifPresent(next::add);
        while (!next.isEmpty()) {
            Throwable error = next.remove();
            if (!seen.add(error)) {
                continue;
            }
            found.add(error);
            if (withSuppressed) {
                next.addAll(Arrays.asList(error.getSuppressed()));
            }
            Optional.ofNullable(error.getCause()).ifPresent(next::add);
            if (error instanceof MultipleFailuresError several) {
                next.addAll(several.getFailures());
            }
        }
        return found.stream().filter(type::isInstance).map(type::cast);
    }
}
