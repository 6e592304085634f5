package dev.meshguard.server;

import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordFields;
import java.nio.ByteBuffer;

/**
 * Detects from the bytes of a connection that its program writes records of another size than the server reads.
 *
 * <p>A record does not contain its size. But a program's record is zero from byte {@value RecordFields#END_OF_REQUEST}
 * on, begins with a message number, and has zeros beside its two one-byte numbers. This shows where the next record
 * begins. Only that counts as proof; a single odd byte does not.
 */
final class RecordSizeDetector {

    /** The result if nothing is proved. */
    static final int NOTHING = 0;
    /** The result if more bytes are needed. */
    static final int MORE_NEEDED = -1;

    /** The three known sizes, and one that a version between them reportedly had. */
    private static final int[] SIZES = {72, 112, 128, 144};

    private static final int MAX_DEVICE = 1023;
    private static final int MAX_MEMORY_TYPE = 4;
    private static final long MAX_SIZE = 1L << 46;
    private static final int PADDING = ~0xff;

    private RecordSizeDetector() {}

    /** Returns whether a program's record has zeros at all required positions. */
    static boolean isPlain(ByteBuffer in, int at, int size) {
        long rest = in.getInt(at + RecordFields.TYPE) & PADDING;
        for (int place = at + RecordFields.END_OF_REQUEST; place < at + size; place += Long.BYTES) {
            rest |= in.getLong(place);
        }
        return rest == 0;
    }

    /** Returns the size of the records of a connection, if its first bytes prove it; otherwise {@link #NOTHING} or {@link #MORE_NEEDED}. */
    static int sizeOfFirst(ByteBuffer in) {
        return otherSize(in, 0, Integer.MAX_VALUE, false);
    }

    /**
     * Returns the size of the records, if another size is proved.
     *
     * @param at the position of the next record if it has the server's size
     * @param ours the server's size
     * @param followsRecord whether a valid record ends there
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

    /** Checks that all bytes up to a position are zero and that a record begins there. */
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

    /** Returns whether a record may begin at a position, by the fields that have arrived. */
    static boolean mayBegin(ByteBuffer in, int at) {
        int arrived = in.limit() - at;
        if (arrived < 1) {
            return true;
        }
        MessageType type = MessageType.of(in.get(at) & 0xff).orElse(MessageType.RESPONSE);
        return !type.isReply()
                && (arrived < RecordFields.DEVICE || (in.getInt(at) & PADDING) == 0)
                && (arrived < RecordFields.SIZE || isIn(in.getInt(at + RecordFields.DEVICE), -1, MAX_DEVICE))
                && (arrived < RecordFields.MEMORY || isIn(in.getLong(at + RecordFields.SIZE), 0, MAX_SIZE))
                && (arrived < RecordFields.PROCESS || isIn(in.getInt(at + RecordFields.MEMORY), 0, MAX_MEMORY_TYPE))
                && (arrived < RecordFields.BUFFER || in.getInt(at + RecordFields.PROCESS) >= 0);
    }

    private static boolean isIn(long value, long min, long max) {
        return value >= min && value <= max;
    }
}
