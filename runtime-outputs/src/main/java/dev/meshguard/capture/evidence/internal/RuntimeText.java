package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.BufferType;
import java.util.Optional;

/**
 * A text in which the runtime rejects a request for memory.
 *
 * <p>No such text names a tensor or a culprit. {@link #held()} is the memory whose buffers stood in the way, so a history
 * shows which these were.
 *
 * @param line the number of its first line, from 1
 * @param reason why it was rejected, with its figures
 * @param held the memory whose buffers the request would need to be free, if buffers are the reason
 */
public record RuntimeText(long line, String reason, Optional<AddressRange> held) {

    /**
     * A range of addresses of one memory.
     *
     * @param type the memory
     * @param from the first address
     * @param to the address after the last
     */
    public record AddressRange(BufferType type, long from, long to) {

        /** Returns all addresses of a memory. */
        static AddressRange all(BufferType type) {
            return new AddressRange(type, 0, Long.MAX_VALUE);
        }

        /** Returns whether a buffer begins in the range. */
        public boolean contains(BufferType memory, long address) {
            return memory == type && address >= from && address < to;
        }
    }

    /** Returns the sentence with the line. */
    String note() {
        return "The runtime rejected a request (line " + line + "): " + reason + ".";
    }

    /** Returns the sentence if it stands in the reason of an exception. */
    public String asReason() {
        return "The rejected request: " + reason + ".";
    }
}
