package dev.meshguard.server.ledger.internal;

import dev.meshguard.event.BufferType;

/** The records and sums of one device. */
final class DeviceLedger {

    final int device;
    final RecordTable table = new RecordTable();
    final long[] bytes;
    final long[] buffersOfType;
    long buffers;

    /** The records that dead processes left in this open period. */
    final Node abandoned = new Node();

    DeviceLedger(int device) {
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
