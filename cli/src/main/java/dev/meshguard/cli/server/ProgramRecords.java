package dev.meshguard.cli.server;

import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.protocol.RecordSize;
import java.util.Optional;

/** The value of {@code --record-size} for a server: the size of the records of its programs. */
public final class ProgramRecords {

    /** The value for a size that the programs' records must prove. */
    public static final String AUTO = "auto";

    private ProgramRecords() {}

    /** Returns the given size; empty if the records must prove it. */
    public static Optional<RecordSize> size(String said) throws UsageException {
        if (said.equalsIgnoreCase(AUTO)) {
            return Optional.empty();
        }
        for (RecordSize size : RecordSize.values()) {
            if (said.equals(Integer.toString(size.bytes()))) {
                return Optional.of(size);
            }
        }
        throw new UsageException(
                "--record-size " + said + ": give 72, 112 or 144, whichever the programs were built with, or auto");
    }
}
