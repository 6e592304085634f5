package dev.meshguard.server.protocol;

import dev.meshguard.event.BufferType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A message that a program sends to an allocation server: a report about memory, or a query.
 *
 * @param type a message that is not a reply
 * @param device the device id; -1 queries the number of devices
 * @param size the size in bytes; unsigned on the wire
 * @param memory the number of the buffer type, or of the kind of a kernel
 * @param processId the process that sends it
 * @param bufferId the address of the buffer, or the id of a kernel; unsigned on the wire
 * @param timestamp nanoseconds since 1970, or 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Request(
        MessageType type, int device, long size, int memory, int processId, long bufferId, long timestamp) {

    /**
     * Creates a request.
     *
     * @throws IllegalArgumentException if the message is a reply, or the memory does not fit into a byte
     */
    public Request {
        if (type.isReply()) {
            throw new IllegalArgumentException("A program sends no " + type + ": only a server does");
        }
        if (memory < 0 || memory > 255) {
            throw new IllegalArgumentException("The buffer type is one byte, 0 to 255: it was given as " + memory);
        }
    }

    /** Returns the report of an allocation. */
    public static Request allocation(int processId, int device, BufferType memory, long address, long size) {
        return new Request(MessageType.ALLOC, device, size, memory.code(), processId, address, 0);
    }

    /** Returns the report of a free. */
    public static Request free(int processId, int device, long address) {
        return new Request(MessageType.FREE, device, 0, 0, processId, address, 0);
    }

    /** Returns the query for the memory usage of a device. */
    public static Request query(int device) {
        return new Request(MessageType.QUERY, device, 0, 0, 0, 0, 0);
    }

    /** Returns it as a record of a size, ready to be read. */
    public ByteBuffer toRecord(RecordSize recordSize) {
        return ByteBuffer.allocate(recordSize.bytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(RecordFields.TYPE, (byte) type.code())
                .putInt(RecordFields.DEVICE, device)
                .putLong(RecordFields.SIZE, size)
                .put(RecordFields.MEMORY, (byte) memory)
                .putInt(RecordFields.PROCESS, processId)
                .putLong(RecordFields.BUFFER, bufferId)
                .putLong(RecordFields.TIMESTAMP, timestamp);
    }
}
