package dev.meshguard.server.log.internal;

import java.io.IOException;
import java.util.Locale;

/** Thrown when a log has a compression that cannot be read here. */
public final class UnreadableCompressionException extends IOException {

    private static final long serialVersionUID = 1;

    UnreadableCompressionException(String compression, String library) {
        super(String.format(
                Locale.ROOT,
                "The log is compressed with %s, and the library that reads it is not there. Put %s on the class path, or"
                        + " decompress the log first: %s -dc LOG | meshguard analyze -",
                compression,
                library,
                compression));
    }
}
