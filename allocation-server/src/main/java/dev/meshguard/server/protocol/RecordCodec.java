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

    /** The number of sums in the usage of a device; the last two are only in records of 144 bytes. */
    private static final int USAGE_SUMS = 6;

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
        ByteBuffer record = next(target);
        for (int at = 0; at < size.bytes(); at += Long.BYTES) {
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
        long[] sums = {
            usage.dram(), usage.l1(), usage.l1Small(), usage.trace(), usage.circularBuffers(), usage.kernels()
        };
        record.position(RecordFields.USAGE).asLongBuffer().put(sums, 0, sums());
    }

    private int sums() {
        return size.hasCircularBuffers() ? USAGE_SUMS : USAGE_SUMS - 2;
    }

    private void put(DeviceInfo info, ByteBuffer record) {
        record.position(RecordFields.deviceInfo(size))
                .putLong(info.totalDram())
                .putLong(info.totalL1())
                .putInt(info.architecture())
                .putInt(info.dramChannels())
                .putInt(info.dramPerChannel())
                .putInt(info.l1PerCore())
                .putInt(info.isAvailable() ? 1 : 0)
                .putInt(info.devices());
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
        ByteBuffer record = next(source);
        int code = record.get(RecordFields.TYPE) & 0xff;
        if (code != MessageType.RESPONSE.code()) {
            throw new IllegalArgumentException("its answer is message " + code + " and not "
                    + MessageType.RESPONSE.code() + "; its records may have another size than " + size.bytes());
        }
        long[] sums = new long[USAGE_SUMS];
        int device = record.getInt(RecordFields.DEVICE);
        record.position(RecordFields.USAGE).asLongBuffer().get(sums, 0, sums());
        return new MemoryUsage(device, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
    }

    /** Returns the next record of a buffer, and skips it there. */
    private ByteBuffer next(ByteBuffer records) {
        ByteBuffer record = records.slice(records.position(), size.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        records.position(records.position() + size.bytes());
        return record;
    }
}
