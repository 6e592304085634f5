package dev.meshguard.cli;

import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.server.protocol.RecordSize;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The command line option for the size of the records that the programs of a server write. */
final class ProgramRecords {

    /** The value for a size that the programs' records must prove. */
    private static final String AUTO = "auto";

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144|auto",
            description = "The size of the programs' records in bytes (default: ${DEFAULT-VALUE}).")
    private String value = AUTO;

    /** Returns the given size; empty if the records must prove it. */
    Optional<RecordSize> size() throws UsageException {
        Optional<RecordSize> given = Arrays.stream(RecordSize.values())
                .filter(size -> value.equals(Integer.toString(size.bytes())))
                .findFirst();
        if (given.isEmpty() && !value.equalsIgnoreCase(AUTO)) {
            throw new UsageException("--record-size " + value
                    + ": give 72, 112 or 144, whichever the programs were built with, or auto");
        }
        return given;
    }
}
