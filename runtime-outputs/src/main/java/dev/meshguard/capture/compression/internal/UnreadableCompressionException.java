package dev.meshguard.capture.compression.internal;

import java.io.IOException;
import java.util.Locale;

/** Thrown when a file has a compression that cannot be read here. */
final class UnreadableCompressionException extends IOException {

    private static final long serialVersionUID = 1;

    UnreadableCompressionException(String compression, String library) {
        super(String.format(
                Locale.ROOT,
                "The file is compressed with %s, and the library that reads it is not there. Put %s on the class path, or"
                        + " decompress the file first: %s -dc FILE | meshguard analyze -",
                compression,
                library,
                compression));
    }
}
