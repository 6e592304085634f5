package dev.meshguard.server.log.internal;

import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.evidence.internal.RuntimeText;
import dev.meshguard.capture.evidence.internal.RuntimeTextParser;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.List;
import java.util.OptionalLong;

/**
 * The runtime's texts about memory among the lines of a server, of which most reject a request.
 *
 * <p>Programs print these texts into the log of a server if both write to one file.
 */
final class RejectedRequests {

    private final RuntimeTextParser parser = new RuntimeTextParser();

    /** Reads a line; returns whether it belongs to such a text. */
    boolean read(String text, long line) {
        return parser.read(text, line);
    }

    /** Returns a note for each of the first texts: its figures, and the buffers of the log that were allocated there. */
    List<String> notes(AllocationHistory history, EventLineNumbers lines) {
        return parser.notes(text -> text.held().map(range -> held(text.line(), range, history, lines)));
    }

    private static String held(
            long line, RuntimeText.AddressRange range, AllocationHistory history, EventLineNumbers lines) {
        List<MemoryHolder> holders = history.generations().stream()
                .filter(buffer -> range.contains(buffer.type(), buffer.address()) && isLiveAt(line, buffer, lines))
                .map(buffer -> holder(buffer, lines))
                .toList();
        return holders.isEmpty()
                ? "The lines before it report no buffer there."
                : "By the lines before it, these buffers were allocated: " + MemoryHolder.text(holders) + ".";
    }

    private static boolean isLiveAt(long line, BufferGeneration buffer, EventLineNumbers lines) {
        OptionalLong freed = buffer.freedAt();
        return lines.of(buffer.allocatedAt()).orElse(Long.MAX_VALUE) < line
                && (freed.isEmpty() || lines.of(freed.getAsLong()).orElse(Long.MAX_VALUE) > line);
    }

    private static MemoryHolder holder(BufferGeneration buffer, EventLineNumbers lines) {
        return new MemoryHolder(
                buffer.type(),
                buffer.address(),
                buffer.size(),
                buffer.device(),
                buffer.label(),
                buffer::origin,
                "in line " + lines.of(buffer.allocatedAt()).orElse(0));
    }
}
