package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The offset of each field in a record, in bytes from its start; all numbers are little-endian.
 *
 * <p>The first 72 bytes are the same in every version. {@code docs/internals/server-fidelity.md} lists them in a table.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RecordFields {

    /** The message number, one byte, followed by three zero bytes. */
    public static final int TYPE = 0;
    /** The device id, four bytes. */
    public static final int DEVICE = 4;
    /** The size, eight bytes. */
    public static final int SIZE = 8;
    /** The number of the buffer type, one byte, followed by three zero bytes. */
    public static final int MEMORY = 16;
    /** The sender's process id, four bytes. */
    public static final int PROCESS = 20;
    /** The address, eight bytes. */
    public static final int BUFFER = 24;
    /** Nanoseconds since 1970, eight bytes. */
    public static final int TIMESTAMP = 32;
    /** The end of the data that a program sends: the rest of its record is 0. */
    public static final int END_OF_REQUEST = 40;
    /** Bytes of DRAM, eight bytes; followed by those of L1, L1_SMALL and TRACE. */
    public static final int USAGE = 40;

    private RecordFields() {}
}
