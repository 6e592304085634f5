package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code dump}: requests a log of the remaining buffers from a server. */
@Command(
        name = "dump",
        description = "Asks an allocation server to write into its log what is still allocated.",
        footer = {
            "",
            "The server does not answer with it: look into its log, or let meshguard analyze judge the log. Before it"
                    + " writes, it removes the buffers of dead processes.",
            "",
            "Examples:",
            "  meshguard dump",
            "  meshguard dump --socket /tmp/mine.sock --record-size 144"
        })
final class Dump implements Subcommand {

    @Option(names = "--socket", paramLabel = "PATH", description = "The server's socket (default: ${DEFAULT-VALUE}).")
    private Path socket = AllocationServer.DEFAULT_SOCKET;

    @Option(
            names = "--record-size",
            paramLabel = "72|112|144",
            description = "The size of the server's records in bytes (default: ${DEFAULT-VALUE}).")
    private int recordSize = 112;

    @Override
    public int run(Terminal terminal) throws UsageException {
        RecordSize size = RecordSize.of(recordSize)
                .orElseThrow(() -> new UsageException(
                        "--record-size " + recordSize + ": give 72, 112 or 144, whichever the server was built with"));
        try (AllocationClient client = AllocationClient.builder()
                .socket(socket)
                .recordSize(size)
                .onWarning(warning -> {})
                .connect()) {
            if (!client.isConnected()) {
                throw new UsageException("No allocation server answers at " + socket
                        + ". Start one with: meshguard serve --socket " + socket);
            }
            client.send(Request.of(MessageType.DUMP_REMAINING));
            // The answer to the query follows the dump.
            client.query(0);
        } catch (IOException e) {
            throw new UsageException(e.getMessage() + ". If the server reads records of another size than " + recordSize
                    + " bytes, say which with --record-size.");
        }
        terminal.out().println("The server at " + socket + " has written the live buffers into its log.");
        return ExitStatus.CLEAN.code();
    }
}
