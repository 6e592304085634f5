package dev.meshguard.server;

import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordFields;
import java.nio.ByteBuffer;

/**
 * Tells from the bytes themselves that records have another size than the server reads.
 *
 * <p>Nothing in a record says its size. But what a program sends is zero from byte {@value RecordFields#END_OF_REQUEST} on, begins
 * with a message's number, and has zeros beside its two numbers of one byte; so where the next record begins can be seen. Only that
 * counts as proof: an odd byte alone does not.
 */
final class RecordShape {

    /** What was found out. */
    static final int NOTHING = 0;
    /** What was found out when more bytes are needed. */
    static final int MORE_NEEDED = -1;

    /** The three sizes, and one that a version between them is said to have had. */
    private static final int[] SIZES = {72, 112, 128, 144};

    private static final int MAX_DEVICE = 1023;
    private static final int MAX_MEMORY_TYPE = 4;
    private static final long MAX_SIZE = 1L << 46;
    private static final int PADDING = ~0xff;

    private RecordShape() {}

    /** Returns whether what a program sends has zeros in all the places where it must. */
    static boolean isPlain(ByteBuffer in, int at, int size) {
        long rest = in.getInt(at + RecordFields.TYPE) & PADDING;
        for (int place = at + RecordFields.END_OF_REQUEST; place < at + size; place += Long.BYTES) {
            rest |= in.getLong(place);
        }
        return rest == 0;
    }

    /**
     * Returns which size the records have, if it is proved to be another one.
     *
     * @param at where a record of the server's size would begin
     * @param ours the server's size
     * @param followsRecord whether a record that was one ends there
     * @return a number of bytes, {@link #NOTHING} or {@link #MORE_NEEDED}
     */
    static int otherSize(ByteBuffer in, int at, int ours, boolean followsRecord) {
        int found = NOTHING;
        for (int theirs : SIZES) {
            int proof = NOTHING;
            if (theirs < ours && mayBegin(in, at)) {
                proof = proofOf(in, at + RecordFields.END_OF_REQUEST, at + theirs);
            } else if (theirs > ours && followsRecord) {
                proof = proofOf(in, at, at + theirs - ours);
            }
            if (proof > NOTHING) {
                return theirs;
            }
            found = Math.min(found, proof);
        }
        return found;
    }

    /** Looks whether all is zero up to a place and a record begins there. */
    private static int proofOf(ByteBuffer in, int from, int next) {
        for (int place = from; place < next; place++) {
            if (place >= in.limit()) {
                return MORE_NEEDED;
            }
            if (in.get(place) != 0) {
                return NOTHING;
            }
        }
        if (!mayBegin(in, next)) {
            return NOTHING;
        }
        return next + RecordFields.END_OF_REQUEST <= in.limit() ? 1 : MORE_NEEDED;
    }

    /**
     * Returns which size the records of a connection have, as far as its first bytes prove it: every record begins with a number
     * that is not 0, and ends with zeros.
     */
    static int sizeOfFirst(ByteBuffer in) {
        for (int size : SIZES) {
            if (size >= in.limit()) {
                return MORE_NEEDED;
            }
            if (in.get(size) != 0) {
                return size;
            }
            if (size == 128) {
                return 144;
            }
        }
        return MORE_NEEDED;
    }

    /** Returns whether a record may begin at a place, by as many of its fields as have arrived. */
    static boolean mayBegin(ByteBuffer in, int at) {
        int arrived = in.limit() - at;
        if (arrived < 1) {
            return true;
        }
        MessageType type = MessageType.of(in.get(at) & 0xff).orElse(MessageType.RESPONSE);
        return !type.isReply()
                && (arrived < RecordFields.DEVICE || (in.getInt(at) & PADDING) == 0)
                && (arrived < RecordFields.SIZE || isDevice(in.getInt(at + RecordFields.DEVICE)))
                && (arrived < RecordFields.MEMORY || isSize(in.getLong(at + RecordFields.SIZE)))
                && (arrived < RecordFields.PROCESS || isMemory(in.getInt(at + RecordFields.MEMORY)))
                && (arrived < RecordFields.BUFFER || in.getInt(at + RecordFields.PROCESS) >= 0);
    }

    private static boolean isDevice(int device) {
        return device >= -1 && device <= MAX_DEVICE;
    }

    private static boolean isSize(long size) {
        return size >= 0 && size <= MAX_SIZE;
    }

    private static boolean isMemory(int memory) {
        return memory >= 0 && memory <= MAX_MEMORY_TYPE;
    }
}
