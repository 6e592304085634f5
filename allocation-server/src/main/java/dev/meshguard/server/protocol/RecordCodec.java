package dev.meshguard.server.protocol;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes messages as records of one size, and reads the answers to queries.
 *
 * <pre>{@code
 * ByteBuffer record = RecordCodec.of(RecordSize.BYTES_112).encode(Request.query(7));
 * }</pre>
 *
 * <p>Immutable. The byte order of the given buffers does not matter.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RecordCodec {

    private static final int WORD = 4;
    private static final int LONG = 8;

    private final RecordSize size;

    private RecordCodec(RecordSize size) {
        this.size = size;
    }

    /** Returns the codec of records of a size. */
    public static RecordCodec of(RecordSize size) {
        return new RecordCodec(size);
    }

    /** Returns the size of the records. */
    public RecordSize size() {
        return size;
    }

    /** Returns a message as a record of its own. */
    public ByteBuffer encode(Message message) {
        ByteBuffer record = ByteBuffer.allocate(size.bytes());
        encode(message, record);
        return record.flip();
    }

    /**
     * Writes a message as the next record.
     *
     * @throws BufferOverflowException if there is no room for a record
     */
    public void encode(Message message, ByteBuffer target) {
        if (target.remaining() < size.bytes()) {
            throw new BufferOverflowException();
        }
        ByteBuffer record = target.slice().order(ByteOrder.LITTLE_ENDIAN);
        target.position(target.position() + size.bytes());
        for (int at = 0; at < size.bytes(); at += LONG) {
            record.putLong(at, 0);
        }
        record.put(RecordFields.TYPE, (byte) message.type().code());
        record.putInt(RecordFields.DEVICE, message.device());
        if (message instanceof Request request) {
            put(request, record);
        } else if (message instanceof MemoryUsage usage) {
            put(usage, record);
        } else if (message instanceof DeviceInfo info && size.hasDeviceInfo()) {
            put(info, record);
        }
    }

    private static void put(Request request, ByteBuffer record) {
        record.putLong(RecordFields.SIZE, request.size());
        record.put(RecordFields.MEMORY, (byte) request.memory());
        record.putInt(RecordFields.PROCESS, request.processId());
        record.putLong(RecordFields.BUFFER, request.bufferId());
        record.putLong(RecordFields.TIMESTAMP, request.timestamp());
    }

    private void put(MemoryUsage usage, ByteBuffer record) {
        record.putLong(RecordFields.USAGE, usage.dram());
        record.putLong(RecordFields.USAGE + LONG, usage.l1());
        record.putLong(RecordFields.USAGE + 2 * LONG, usage.l1Small());
        record.putLong(RecordFields.USAGE + 3 * LONG, usage.trace());
        if (size.hasCircularBuffers()) {
            record.putLong(RecordFields.CIRCULAR_BUFFERS, usage.circularBuffers());
            record.putLong(RecordFields.CIRCULAR_BUFFERS + LONG, usage.kernels());
        }
    }

    private void put(DeviceInfo info, ByteBuffer record) {
        int at = RecordFields.deviceInfo(size);
        record.putLong(at, info.totalDram());
        record.putLong(at + LONG, info.totalL1());
        int words = at + 2 * LONG;
        record.putInt(words, info.architecture());
        record.putInt(words + WORD, info.dramChannels());
        record.putInt(words + 2 * WORD, info.dramPerChannel());
        record.putInt(words + 3 * WORD, info.l1PerCore());
        record.putInt(words + 4 * WORD, info.isAvailable() ? 1 : 0);
        record.putInt(words + 5 * WORD, info.devices());
    }

    /**
     * Reads the answer to a {@linkplain Request#query query} from the next record.
     *
     * @throws BufferUnderflowException if there is no complete record
     * @throws IllegalArgumentException if it is another message; the record is skipped
     */
    public MemoryUsage decode(ByteBuffer source) {
        if (source.remaining() < size.bytes()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer record = source.slice().order(ByteOrder.LITTLE_ENDIAN);
        source.position(source.position() + size.bytes());
        int code = record.get(RecordFields.TYPE) & 0xff;
        if (code != MessageType.RESPONSE.code()) {
            throw new IllegalArgumentException("its answer is message " + code + " and not "
                    + MessageType.RESPONSE.code() + "; its records may have another size than " + size.bytes());
        }
        boolean hasMore = size.hasCircularBuffers();
        return new MemoryUsage(
                record.getInt(RecordFields.DEVICE),
                record.getLong(RecordFields.USAGE),
                record.getLong(RecordFields.USAGE + LONG),
                record.getLong(RecordFields.USAGE + 2 * LONG),
                record.getLong(RecordFields.USAGE + 3 * LONG),
                hasMore ? record.getLong(RecordFields.CIRCULAR_BUFFERS) : 0,
                hasMore ? record.getLong(RecordFields.CIRCULAR_BUFFERS + LONG) : 0);
    }
}
