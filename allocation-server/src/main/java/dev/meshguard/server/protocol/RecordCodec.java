package dev.meshguard.server.protocol;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes messages as records of one size.
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

    private final RecordSize size;

    private RecordCodec(RecordSize size) {
        this.size = size;
    }

    /** Returns the codec of records of a size. */
    public static RecordCodec of(RecordSize size) {
        return new RecordCodec(size);
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
        ByteBuffer record = target.slice(target.position(), size.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        target.position(target.position() + size.bytes());
        for (int at = 0; at < size.bytes(); at += Long.BYTES) {
            record.putLong(at, 0);
        }
        record.put(RecordFields.TYPE, (byte) message.type().code());
        record.putInt(RecordFields.DEVICE, message.device());
        if (message instanceof Request request) {
            put(request, record);
        } else if (message instanceof MemoryUsage usage) {
            record.position(RecordFields.USAGE)
                    .putLong(usage.dram())
                    .putLong(usage.l1())
                    .putLong(usage.l1Small())
                    .putLong(usage.trace());
        }
    }

    private static void put(Request request, ByteBuffer record) {
        record.putLong(RecordFields.SIZE, request.size());
        record.put(RecordFields.MEMORY, (byte) request.memory());
        record.putInt(RecordFields.PROCESS, request.processId());
        record.putLong(RecordFields.BUFFER, request.bufferId());
        record.putLong(RecordFields.TIMESTAMP, request.timestamp());
    }
}
