package dev.meshguard.server.frame.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Splits the bytes of one connection into frames, and decodes them.
 *
 * <p>It never holds more than one incomplete frame, and allocates for it only what has arrived. Fields that a later version adds at the
 * end of a frame are skipped. Not safe for use by several threads.
 */
public final class FrameDecoder {

    /** The first bytes of a connection. */
    private static final byte[] MAGIC = "MESHGRD1".getBytes(StandardCharsets.US_ASCII);

    /** The largest number of bytes after a header. */
    public static final int MAX_LENGTH = 1 << 20;

    /** The version of the protocol. */
    public static final int VERSION = 1;

    static final int HELLO = 1;
    static final int ACK = 2;
    static final int TEXT = 3;
    static final int STACK = 4;
    static final int OWNER = 5;
    static final int ALLOC = 16;
    static final int FREE = 17;
    static final int PHASE = 18;
    static final int OWNER_CACHED = 19;
    static final int OWNER_ENDED = 20;
    static final int MESH_OPENED = 21;
    static final int MESH_CLOSING = 22;
    static final int MESH_CLOSED = 23;
    static final int STATE = 24;
    static final int BYE = 31;

    private static final int HEADER = 8;
    private static final int TYPE = 4;
    private static final int BYTES_OF_LINE = 12;

    private static final int IS_CIRCULAR_BUFFER = 1;
    private static final int IS_VIEW = 2;
    private static final int IS_PART = 1;

    private static final BufferType[] TYPES = BufferType.values();
    private static final Owner.Kind[] OWNERS = Owner.Kind.values();
    private static final BufferLifetime[] LIFETIMES = BufferLifetime.values();
    private static final IgnoredFreeReason[] REASONS = IgnoredFreeReason.values();
    private static final Moment[] MOMENTS = Moment.values();
    private static final byte[] NOTHING = {};

    private final FrameMemory memory;
    private boolean hasBegun;

    /** The incomplete frame, from its header on. */
    private byte[] carry = NOTHING;

    private int carried;

    /** Creates the decoder of a connection. */
    public FrameDecoder(FrameMemory memory) {
        this.memory = memory;
    }

    /** Returns whether a connection with this first byte sends frames: no request of an allocation server begins with it. */
    public static boolean isBegunBy(byte first) {
        return first == MAGIC[0];
    }

    /** Returns whether bytes of an incomplete frame have arrived. */
    public boolean isWithinFrame() {
        return carried > 0;
    }

    /** Releases the memory of an incomplete frame. */
    public void close() {
        memory.giveBack(carry.length);
        carry = NOTHING;
        carried = 0;
    }

    /**
     * Returns the next frame, or null if its end has not arrived; all bytes are consumed then.
     *
     * @throws InvalidFrameException if the bytes are no frames; nothing can be read afterwards
     */
    public @Nullable Frame next(ByteBuffer in) throws InvalidFrameException {
        if (!hasBegun && !begin(in)) {
            return null;
        }
        if (carried == 0 && in.remaining() >= HEADER) {
            int length = lengthOf(in.getInt(in.position()));
            if (in.remaining() >= HEADER + length) {
                int type = in.get(in.position() + TYPE) & 0xff;
                ByteBuffer fields = in.slice(in.position() + HEADER, length).order(ByteOrder.LITTLE_ENDIAN);
                in.position(in.position() + HEADER + length);
                return decoded(type, fields);
            }
        }
        return nextOfCarry(in);
    }

    /** A connection may send its magic bytes in parts; returns whether all have arrived. */
    private boolean begin(ByteBuffer in) throws InvalidFrameException {
        keep(in, MAGIC.length);
        for (int index = 0; index < carried; index++) {
            if (carry[index] != MAGIC[index]) {
                throw new InvalidFrameException("begins with an M, as MeshGuard's clients do, and not with the rest of "
                        + new String(MAGIC, StandardCharsets.US_ASCII));
            }
        }
        hasBegun = carried == MAGIC.length;
        carried = hasBegun ? 0 : carried;
        return hasBegun;
    }

    private @Nullable Frame nextOfCarry(ByteBuffer in) throws InvalidFrameException {
        keep(in, HEADER);
        if (carried < HEADER) {
            return null;
        }
        ByteBuffer header = ByteBuffer.wrap(carry).order(ByteOrder.LITTLE_ENDIAN);
        int length = lengthOf(header.getInt(0));
        keep(in, HEADER + length);
        if (carried < HEADER + length) {
            return null;
        }
        ByteBuffer fields = ByteBuffer.wrap(carry, HEADER, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        Frame frame = decoded(carry[TYPE] & 0xff, fields);
        close();
        return frame;
    }

    /** Moves bytes to the incomplete frame until it has a number of them, or none are left. */
    private void keep(ByteBuffer in, int bytes) throws InvalidFrameException {
        int count = Math.min(bytes - carried, in.remaining());
        if (count <= 0) {
            return;
        }
        if (carried + count > carry.length) {
            int capacity = Math.min(bytes, Math.max(2 * carry.length, carried + count));
            if (!memory.take(capacity)) {
                throw new InvalidFrameException(String.format(
                        Locale.ROOT,
                        "sent part of a frame of %d bytes, and all clients together have used up the %d bytes for frames and names."
                                + " Allow the server a larger heap (-Xmx)",
                        bytes,
                        memory.limit()));
            }
            byte[] larger = new byte[capacity];
            System.arraycopy(carry, 0, larger, 0, carried);
            memory.giveBack(carry.length);
            carry = larger;
        }
        in.get(carry, carried, count);
        carried += count;
    }

    private static int lengthOf(int length) throws InvalidFrameException {
        if (length < 0 || length > MAX_LENGTH) {
            throw new InvalidFrameException(String.format(
                    Locale.ROOT,
                    "sent a frame of %d bytes, and %d are the most",
                    Integer.toUnsignedLong(length),
                    MAX_LENGTH));
        }
        return length;
    }

    // One frame

    private static Frame decoded(int type, ByteBuffer in) throws InvalidFrameException {
        return switch (type) {
            case HELLO -> hello(fields(type, in, 16));
            case TEXT -> new Frame.Text(fields(type, in, 4).getInt(), text(in));
            case STACK -> stack(fields(type, in, 8));
            case OWNER -> owner(fields(type, in, 12));
            case ALLOC -> allocation(fields(type, in, 72));
            case FREE -> free(fields(type, in, 48));
            case PHASE -> new Frame.PhaseChange(fields(type, in, 12).getLong(), in.getInt());
            case OWNER_CACHED -> new Frame.OwnerCached(fields(type, in, 16).getLong(), in.getInt(), in.getInt());
            case OWNER_ENDED -> new Frame.OwnerEnded(fields(type, in, 12).getLong(), in.getInt());
            case MESH_OPENED -> meshOpened(fields(type, in, 28));
            case MESH_CLOSING -> new Frame.MeshClosing(fields(type, in, 12).getLong(), in.getInt());
            case MESH_CLOSED -> new Frame.MeshClosed(fields(type, in, 12).getLong(), in.getInt());
            case STATE -> state(fields(type, in, 24));
            case BYE -> new Frame.Bye(fields(type, in, 8).getLong());
            default -> new Frame.Unknown(type);
        };
    }

    private static ByteBuffer fields(int type, ByteBuffer in, int least) throws InvalidFrameException {
        if (in.remaining() < least) {
            throw new InvalidFrameException(String.format(
                    Locale.ROOT,
                    "sent a frame of type %d with %d bytes, and its fields take %d",
                    type,
                    in.remaining(),
                    least));
        }
        return in;
    }

    private static Frame hello(ByteBuffer in) {
        int min = in.getShort() & 0xffff;
        int max = in.getShort() & 0xffff;
        in.getInt();
        return new Frame.Hello(min, max, in.getLong(), text(in));
    }

    private static String text(ByteBuffer in) {
        return StandardCharsets.UTF_8.decode(in).toString();
    }

    private static Frame stack(ByteBuffer in) throws InvalidFrameException {
        int id = in.getInt();
        int count = in.getShort() & 0xffff;
        in.getShort();
        fields(STACK, in, count * BYTES_OF_LINE);
        List<Frame.Line> lines = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            lines.add(new Frame.Line(in.getInt(), in.getInt(), in.getInt()));
        }
        return new Frame.Stack(id, lines);
    }

    /** A lifetime decides who must free the memory, so a wrong one must not be guessed. */
    private static Frame owner(ByteBuffer in) throws InvalidFrameException {
        int id = in.getInt();
        int kind = in.get() & 0xff;
        int lifetime = in.get() & 0xff;
        in.getShort();
        if (lifetime >= LIFETIMES.length) {
            throw new InvalidFrameException(
                    "sent an owner of lifetime " + lifetime + ", and only 0 to " + (LIFETIMES.length - 1) + " are one");
        }
        Owner.Kind known = kind < OWNERS.length ? OWNERS[kind] : Owner.Kind.OTHER;
        return new Frame.OwnerDefinition(id, known, LIFETIMES[lifetime], in.getInt());
    }

    private static Frame allocation(ByteBuffer in) {
        long sequence = in.getLong();
        long request = in.getLong();
        long address = in.getLong();
        long size = in.getLong();
        long extent = in.getLong();
        int device = in.getInt();
        int mesh = in.getInt();
        int owner = in.getInt();
        int label = in.getInt();
        int stack = in.getInt();
        MemoryFields fields = MemoryFields.read(in);
        return fields.isKnown()
                ? new Frame.Allocation(
                        sequence, fields.memory(address, device, mesh, owner), request, size, extent, label, stack)
                : fields.rejected(sequence);
    }

    private static Frame free(ByteBuffer in) {
        long sequence = in.getLong();
        long address = in.getLong();
        int device = in.getInt();
        int mesh = in.getInt();
        int owner = in.getInt();
        int stack = in.getInt();
        MemoryFields fields = MemoryFields.read(in);
        int result = in.get() & 0xff;
        if (result > REASONS.length) {
            return new Frame.Rejected(sequence, "a free with result " + result);
        }
        return fields.isKnown()
                ? new Frame.Free(
                        sequence,
                        fields.memory(address, device, mesh, owner),
                        result == 0 ? Optional.empty() : Optional.of(REASONS[result - 1]),
                        stack)
                : fields.rejected(sequence);
    }

    private static Frame meshOpened(ByteBuffer in) throws InvalidFrameException {
        long sequence = in.getLong();
        int mesh = in.getInt();
        int name = in.getInt();
        int parent = in.getInt();
        int busiest = in.getInt();
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / Integer.BYTES) {
            throw new InvalidFrameException("sent a mesh of " + Integer.toUnsignedString(count)
                    + " devices in a frame that has no room for them");
        }
        List<Integer> devices = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            devices.add(in.getInt());
        }
        return new Frame.MeshOpened(sequence, mesh, name, parent, busiest, devices);
    }

    private static Frame state(ByteBuffer in) {
        long sequence = in.getLong();
        int mesh = in.getInt();
        int device = in.getInt();
        MemoryFields fields = MemoryFields.read(in);
        if (!fields.isKnown() || fields.ownership >= MOMENTS.length) {
            return fields.isKnown()
                    ? new Frame.Rejected(sequence, "a snapshot of moment " + fields.ownership)
                    : fields.rejected(sequence);
        }
        List<Long> addresses = new ArrayList<>(in.remaining() / Long.BYTES);
        while (in.remaining() >= Long.BYTES) {
            addresses.add(in.getLong());
        }
        return new Frame.State(
                sequence,
                mesh,
                device,
                MOMENTS[fields.ownership],
                TYPES[fields.type],
                fields.allocatorId(),
                (fields.flags & IS_PART) != 0,
                addresses);
    }

    /** The eight bytes that name a memory; in a snapshot the second is its moment. */
    private record MemoryFields(int type, int ownership, int allocator, int flags, int manager, int subDevice) {

        static MemoryFields read(ByteBuffer in) {
            return new MemoryFields(
                    in.get() & 0xff,
                    in.get() & 0xff,
                    in.get() & 0xff,
                    in.get() & 0xff,
                    in.getShort() & 0xffff,
                    in.getShort() & 0xffff);
        }

        boolean isKnown() {
            return type < TYPES.length && allocator <= AllocatorId.Kind.values().length;
        }

        Frame.Rejected rejected(long sequence) {
            return new Frame.Rejected(
                    sequence,
                    type < TYPES.length
                            ? "memory of an allocator of kind " + allocator
                            : "buffer type " + type + ", and only 0 to " + (TYPES.length - 1) + " are one");
        }

        @Nullable
        AllocatorId allocatorId() {
            return switch (allocator) {
                case 1 -> AllocatorId.MESH;
                case 2 -> AllocatorId.DEVICE;
                case 3 -> AllocatorId.subDevice(manager, subDevice);
                default -> null;
            };
        }

        Frame.Memory memory(long address, int device, int mesh, int owner) {
            Ownership reported = switch (ownership) {
                case 1 -> Ownership.OWNING;
                case 2 -> Ownership.NON_OWNING;
                default -> Ownership.UNKNOWN;
            };
            return new Frame.Memory(
                    TYPES[type],
                    address,
                    device,
                    mesh,
                    owner,
                    reported,
                    allocatorId(),
                    (flags & IS_CIRCULAR_BUFFER) != 0,
                    (flags & IS_VIEW) != 0);
        }
    }

    // Answers

    /** Returns the answer to the first frame. */
    public static ByteBuffer acknowledgement(long session) {
        return ByteBuffer.allocate(HEADER + 16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(16)
                .put((byte) ACK)
                .put((byte) 0)
                .putShort((short) 0)
                .putShort((short) VERSION)
                .putShort((short) 0)
                .putInt(MAX_LENGTH)
                .putLong(session)
                .flip();
    }
}
