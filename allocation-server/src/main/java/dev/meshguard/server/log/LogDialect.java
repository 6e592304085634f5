package dev.meshguard.server.log;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A dialect of tt-metal's logs; one log may contain several.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum LogDialect {
    /** Frees have neither FINAL nor a number of remaining references: the server before reference counts. */
    WITHOUT_REFERENCES("frees without reference counts"),
    /** Frees have FINAL or the number of remaining references. */
    REFERENCE_COUNTED("reference counts"),
    /** Buffer ids are hexadecimal. */
    HEXADECIMAL("hexadecimal ids"),
    /** Warnings of double frees and size changes contain the history of the buffer: the enhanced server. */
    WITH_BUFFER_HISTORIES("histories of buffers"),
    /** Circular buffers and kernels are logged as sums of each device. */
    WITH_CIRCULAR_BUFFERS("sums of circular buffers and kernels");

    private final String description;

    LogDialect(String words) {
        this.description = words;
    }

    /** Returns its description, as a noun phrase. */
    public String description() {
        return description;
    }
}
