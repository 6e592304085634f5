package dev.meshguard.event.shortage;

import dev.meshguard.event.Origin;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Finds the callers on the stacks of allocations by which a reader can distinguish those from one line of code.
 *
 * <p>If a helper requests buffers for everybody, its line is the same for all of them and leads nowhere. Then the first caller on the
 * stack that differs distinguishes them.
 *
 * <p>Immutable and safe for use by several threads.
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class DistinguishingCallers {

    /** The depth at which the stacks of a line differ, for lines with several stacks. */
    private final Map<StackTraceElement, Integer> differences = new HashMap<>();

    private DistinguishingCallers(Stream<Origin> origins) {
        Map<StackTraceElement, Set<List<StackTraceElement>>> distinct = new LinkedHashMap<>();
        origins.forEach(origin -> origin.site()
                .ifPresent(line -> distinct.computeIfAbsent(line, unused -> new HashSet<>())
                        .add(origin.frames())));
        distinct.forEach((line, stacks) -> firstDifference(stacks).ifPresent(depth -> differences.put(line, depth)));
    }

    /** Returns the callers that distinguish some origins. */
    public static DistinguishingCallers of(Stream<Origin> origins) {
        return new DistinguishingCallers(origins);
    }

    /** Returns the caller that distinguishes one of the origins; empty if its line is enough. */
    public Optional<StackTraceElement> callerOf(Origin origin) {
        return origin.site()
                .flatMap(line -> Optional.ofNullable(differences.get(line)))
                .flatMap(depth -> origin.frames().stream()
                        .skip(depth)
                        .filter(frame -> !isOfJdk(frame))
                        .findFirst());
    }

    /** Returns the number of the first frame that is not the same in all stacks; empty if there is only one. */
    private static OptionalInt firstDifference(Set<List<StackTraceElement>> stacks) {
        int deepest = stacks.stream().mapToInt(List::size).max().orElse(0);
        return IntStream.range(1, deepest)
                .filter(depth -> stacks.stream()
                                .map(stack -> stack.stream().skip(depth).findFirst())
                                .distinct()
                                .count()
                        > 1)
                .findFirst();
    }

    /** The difference may lie in a collection that calls back; the user knows the line that called it. */
    static boolean isOfJdk(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.") || frame.getClassName().startsWith("jdk.");
    }
}
