package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.BufferType;
import java.util.Optional;

/**
 * A text of the runtime about memory: a rejected request, a warning, or buffers that a replay of a trace would corrupt.
 *
 * <p>None of these texts names a tensor or a culprit. {@link #held()} is the memory whose buffers stood in the way, so a
 * history shows which these were.
 *
 * @param line the number of its first line, from 1
 * @param event what happened, as the first part of a sentence
 * @param details the rest of that sentence, with a sign in front and all that follows it
 * @param held the memory whose buffers the request would need to be free, if buffers are the reason
 */
public record RuntimeText(long line, String event, String details, Optional<AddressRange> held) {

    private static final String REJECTION = "The runtime rejected a request";

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

    /**
     * Creates the text of a rejected request.
     *
     * @param conclusion why there is no room; empty if it is not known
     */
    static RuntimeText rejection(long line, String conclusion, String figures, Optional<AddressRange> held) {
        String reason = conclusion.isEmpty() ? "" : conclusion + ": ";
        return new RuntimeText(line, REJECTION, ": " + reason + figures + ".", held);
    }

    boolean isRejection() {
        return event.equals(REJECTION);
    }

    /** Returns the sentence with the line. */
    String note() {
        return event + " (line " + line + ")" + details;
    }

    /** Returns the sentence if it stands in the reason of an exception. */
    public String asReason() {
        return isRejection() ? "The rejected request" + details : event + " (in its reason)" + details;
    }
}
