package dev.meshguard.server.log.internal;

import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.evidence.internal.RuntimeText;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds the buffers that were allocated when the runtime rejected a request.
 *
 * <p>Programs print the texts of the runtime into the log of a server if both write to one file.
 */
record RejectedRequests(AllocationHistory history, EventLineNumbers lines) {

    /** Returns a sentence about the buffers of the log that were allocated where a text of the runtime says. */
    Optional<String> holders(RuntimeText text) {
        return text.held().map(range -> {
            List<MemoryHolder> holders = history.generations().stream()
                    .filter(buffer -> range.contains(buffer.type(), buffer.address()) && isLiveAt(text.line(), buffer))
                    .map(this::holder)
                    .toList();
            return holders.isEmpty()
                    ? "The lines before it report no buffer there."
                    : "By the lines before it, these buffers were allocated: " + MemoryHolder.text(holders) + ".";
        });
    }

    private boolean isLiveAt(long line, BufferGeneration buffer) {
        OptionalLong freed = buffer.freedAt();
        return lines.of(buffer.allocatedAt()).orElse(Long.MAX_VALUE) < line
                && (freed.isEmpty() || lines.of(freed.getAsLong()).orElse(Long.MAX_VALUE) > line);
    }

    private MemoryHolder holder(BufferGeneration buffer) {
        return new MemoryHolder(
                buffer.address(),
                buffer.size(),
                buffer.device(),
                buffer.label(),
                buffer::origin,
                "in line " + lines.of(buffer.allocatedAt()).orElse(0));
    }
}
