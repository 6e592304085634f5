package dev.meshguard.server.books.internal;

import dev.meshguard.event.BufferType;

/** The records and sums of one device. */
final class DeviceBook {

    final int device;
    final RecordTable table = new RecordTable();
    final long[] bytes;
    final long[] buffersOfType;
    long buffers;

    /** When the device began its life, in which nothing is there that dead processes left before; by the books' count. */
    int openedAt;

    /** The records that dead processes left in this life. */
    final Node abandoned = new Node();

    DeviceBook(int device) {
        this.device = device;
        int types = BufferType.values().length;
        this.bytes = new long[types];
        this.buffersOfType = new long[types];
    }

    void enter(BufferRecord record, int sign) {
        int type = record.type().ordinal();
        bytes[type] += sign * record.size;
        buffersOfType[type] += sign;
        buffers += sign;
    }
}
