package dev.meshguard.server.log.internal;

import java.io.IOException;
import java.util.Locale;

/** A log is compressed in a way that cannot be read here. */
public final class UnreadableCompressionException extends IOException {

    private static final long serialVersionUID = 1;

    UnreadableCompressionException(String compression) {
        super(String.format(
                Locale.ROOT,
                "The log is compressed with %s, which is not read. Decompress it first: %s -dc LOG | meshguard analyze -",
                compression,
                compression));
    }
}
