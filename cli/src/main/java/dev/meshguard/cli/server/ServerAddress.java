package dev.meshguard.cli.server;

import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a command that connects to a server, and the record size of programs. */
public final class ServerAddress {

    /** The value for a record size that the programs' records must prove. */
    public static final String AUTO = "auto";

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            defaultValue = "/tmp/tt_allocation_server.sock",
            description = "The server's socket (default: ${DEFAULT-VALUE}).")
    private Path socket = Path.of("/tmp/tt_allocation_server.sock");

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144",
            defaultValue = "112",
            description = "The size of the server's records in bytes (default: ${DEFAULT-VALUE}).")
    private int recordSize = 112;

    public Path socket() {
        return socket;
    }

    /** Returns a connected client. */
    public AllocationClient connect() throws UsageException {
        RecordSize size = RecordSize.of(recordSize)
                .orElseThrow(() -> new UsageException(
                        "--record-size " + recordSize + ": give 72, 112 or 144, whichever the server was built with"));
        AllocationClient client = AllocationClient.builder()
                .socket(socket)
                .recordSize(size)
                .onWarning(warning -> {})
                .connect();
        if (!client.isConnected()) {
            client.close();
            throw new UsageException("No allocation server answers at " + socket
                    + ". Start one with: meshguard serve --socket " + socket);
        }
        return client;
    }

    /** Returns the given size of the programs' records; empty if they must prove it. */
    public static Optional<RecordSize> sizeOfPrograms(String said) throws UsageException {
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

    /** Returns the error for a server without a valid answer. */
    public UsageException noAnswer(IOException e) {
        return new UsageException(String.format(
                Locale.ROOT,
                "%s. If the server reads records of another size than %d bytes, say which with --record-size.",
                e.getMessage(),
                recordSize));
    }
}
