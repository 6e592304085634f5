package dev.meshguard.cli.server;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Requests a log of the remaining buffers from a server. */
@Command(
        name = "dump",
        description = "Asks an allocation server to write into its log what is still allocated.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "The server does not answer with it: look into its log, or let meshguard analyze judge the log. Before it"
                    + " writes, it removes the buffers of dead processes.",
            "",
            "Exit status:",
            "  0   the server has written the dump",
            "  64  wrong usage, or no server answers",
            "  74  the answer could not be written",
            "",
            "Examples:",
            "  meshguard dump",
            "  meshguard dump --socket /tmp/mine.sock --record-size 144 --kernels"
        })
public final class Dump implements Callable<Integer> {

    @Mixin
    private ServerAddress server = new ServerAddress();

    @Option(names = "--kernels", description = "Write which kernels are loaded instead; needs records of 144 bytes.")
    private boolean kernels;

    @Spec
    private @Nullable CommandSpec command;

    @Override
    public Integer call() throws UsageException {
        if (command == null) {
            throw new IllegalStateException("The command was not made by picocli");
        }
        try (AllocationClient client = server.connect()) {
            client.send(Request.of(kernels ? MessageType.DUMP_KERNELS : MessageType.DUMP_REMAINING));
            // The answer to the query follows the dump.
            client.query(0);
        } catch (IOException e) {
            throw server.noAnswer(e);
        }
        command.commandLine()
                .getOut()
                .println("The server at " + server.socket() + " has written "
                        + (kernels ? "which kernels are loaded" : "the live buffers") + " into its log.");
        return ExitStatus.CLEAN.code();
    }
}
