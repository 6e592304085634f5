package dev.meshguard.report;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A list of the buffers that are allocated at one moment, each with its address, label, owner and line of code.
 *
 * <p>The list makes no judgement: a mesh that is still open may hold every one of them. The largest buffer comes first;
 * of equal ones the one allocated first.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LiveBuffers {

    /** The number of buffers that {@link #text()} lists one by one; it adds up the others in one line. */
    public static final int MAX_LINES = 40;

    private static final Comparator<BufferGeneration> LARGEST_FIRST = Comparator.comparingLong(BufferGeneration::size)
            .reversed()
            .thenComparingLong(BufferGeneration::allocatedAt);

    private final List<BufferGeneration> buffers;

    private LiveBuffers(List<BufferGeneration> buffers) {
        this.buffers = buffers;
    }

    /** Returns the live buffers at the end of a history. */
    public static LiveBuffers of(AllocationHistory history) {
        Objects.requireNonNull(history, "history");
        return new LiveBuffers(history.live().stream().sorted(LARGEST_FIRST).toList());
    }

    /** Returns all of them, the largest first. */
    public List<BufferGeneration> buffers() {
        return buffers;
    }

    /** Returns the list as text: a line with the sum, then one line for each buffer, {@value #MAX_LINES} at most. */
    public String text() {
        if (buffers.isEmpty()) {
            return "nothing allocated";
        }
        int more = Math.max(0, buffers.size() - MAX_LINES);
        String listed = buffers.stream()
                .limit(MAX_LINES)
                .map(LiveBuffers::line)
                .collect(Collectors.joining("\n   ", "\n   ", ""));
        return sum(buffers, "buffer")
                + " allocated"
                + listed
                + (more == 0 ? "" : "\n   … and " + sum(buffers.subList(MAX_LINES, buffers.size()), "more buffer"));
    }

    @Override
    public String toString() {
        return text();
    }

    private static String sum(List<BufferGeneration> some, String noun) {
        long bytes = some.stream().mapToLong(BufferGeneration::size).reduce(0, Quantities::saturatedSum);
        return Quantities.count(some.size(), noun) + ", " + Quantities.size(bytes);
    }

    private static String line(BufferGeneration buffer) {
        String lifetime = buffer.lifetime() == BufferLifetime.USER ? "" : buffer.lifetime() + " ";
        return String.format(
                Locale.ROOT,
                "%s%s %s at %s, %s%s, event #%d%s",
                lifetime,
                buffer.type(),
                Quantities.size(buffer.size()),
                Quantities.place(buffer.device(), buffer.address()),
                buffer.label().map(label -> "label " + Quantities.quoted(label)).orElse("unlabelled"),
                buffer.owner().map(owner -> ", owned by " + owner).orElse(""),
                buffer.allocatedAt(),
                buffer.origin().map(origin -> ", at " + origin).orElse(""));
    }
}
