package dev.meshguard.verdict.internal.survivor;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.WitnessSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Short phrases for the texts of several rules. */
public final class Phrases {

    private static final int EVENTS_NAMED = 6;

    private Phrases() {}

    /** Returns {@code once}, {@code twice}, {@code 3 times}. */
    public static String times(int count) {
        return switch (count) {
            case 0 -> "never";
            case 1 -> "once";
            case 2 -> "twice";
            default -> count + " times";
        };
    }

    /** Returns {@code #4, #12} and the number of further events. */
    public static String events(List<Long> numbers) {
        String named =
                numbers.stream().limit(EVENTS_NAMED).map(number -> "#" + number).collect(Collectors.joining(", "));
        int more = numbers.size() - EVENTS_NAMED;
        return more > 0 ? named + " and " + more + " more" : named;
    }

    /** Returns the allocator of a snapshot, unless it is that of a mesh or joins several. */
    public static Optional<String> allocatorOf(WitnessSnapshot snapshot, int device) {
        return snapshot.allocator()
                .filter(allocator -> allocator.kind() != AllocatorId.Kind.MESH)
                .map(allocator -> allocator.kind() == AllocatorId.Kind.DEVICE
                        ? "the own allocator of device " + device
                        : "the allocator of " + allocator);
    }

    /** Returns the line of code that made a request, if known. */
    public static String callSite(MemoryRequest request) {
        return request.origin().map(Object::toString).orElse("an unknown place (no origin was captured)");
    }
}
