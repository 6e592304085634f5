package dev.meshguard.capture.internal;

import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of operations among those of their name, by which they have the calls of Python.
 *
 * <p>A report has its calls after its graph. So the allocations are remembered, and get their lines at the end.
 */
final class OperationNumbers {

    /**
     * An operation.
     *
     * @param name the name in the capture
     * @param number its number among all operations of the name
     * @param outermostNumber its number among the outermost ones of its name in Python; -1 for an inner one
     * @param caller the operation in which it is, unless it is an outermost one
     */
    record Numbered(
            String name,
            int number,
            int outermostNumber,
            @Nullable Numbered caller) {}

    private record Allocation(CapturedRequest request, Numbered operation) {}

    private final Map<String, Integer> all = new HashMap<>();
    private final Map<String, Integer> outermost = new HashMap<>();
    private final List<Allocation> allocations = new ArrayList<>();

    /** Numbers an operation that begins. */
    Numbered began(String name, @Nullable Numbered caller) {
        return new Numbered(
                name, next(all, name), caller == null ? next(outermost, PythonCalls.nameInPython(name)) : -1, caller);
    }

    private static int next(Map<String, Integer> counts, String name) {
        return counts.merge(name, 1, Integer::sum) - 1;
    }

    /** Remembers an allocation in an operation. */
    void allocated(CapturedRequest request, Numbered operation) {
        allocations.add(new Allocation(request, operation));
    }

    /** Gives each remembered allocation the line of the innermost operation of which it is known. */
    void addOrigins(PythonCalls calls) {
        calls.match(all, outermost);
        allocations.forEach(allocation -> allocation.request.setOrigin(originOf(allocation.operation, calls)));
    }

    private static Optional<Origin> originOf(Numbered innermost, PythonCalls calls) {
        for (Numbered operation = innermost; operation != null; operation = operation.caller) {
            Optional<Origin> origin = calls.origin(operation);
            if (origin.isPresent()) {
                return origin;
            }
        }
        return Optional.empty();
    }
}
