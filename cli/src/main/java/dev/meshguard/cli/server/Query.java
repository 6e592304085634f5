package dev.meshguard.cli.server;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Table;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.MemoryUsage;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Queries the memory usage of a server. */
@Command(
        name = "query",
        description = "Asks an allocation server what is allocated on each device.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "L1_SMALL is with SYSTEM_MEMORY, as the server adds them up. Circular buffers and kernels are known only to"
                    + " servers with records of 144 bytes.",
            "",
            "Exit status:",
            "  0   the server answered",
            "  64  wrong usage, or no server answers",
            "  74  the answer could not be written",
            "",
            "Examples:",
            "  meshguard query",
            "  meshguard query --device 0 --device 3 --record-size 144",
            "  meshguard query --bytes | awk '$1 == 0 { print $3 }'"
        })
public final class Query implements Callable<Integer> {

    @Mixin
    private ServerAddress server = new ServerAddress();

    @Option(names = "--device", paramLabel = "N", description = "Ask for this device; may be given several times.")
    private List<Integer> asked = new ArrayList<>();

    @Option(names = "--bytes", description = "Print bytes and no units: for scripts.")
    private boolean inBytes;

    @Spec
    private @Nullable CommandSpec command;

    @Override
    public Integer call() throws UsageException {
        if (command == null) {
            throw new IllegalStateException("The command was not made by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        try (AllocationClient client = server.connect()) {
            Table table = new Table().row("device", "DRAM", "L1", "L1_SMALL", "TRACE", "circular buffers", "kernels");
            for (int device : server.devices(asked, client)) {
                MemoryUsage usage = client.query(device);
                table.row(
                        device,
                        size(usage.dram()),
                        size(usage.l1()),
                        size(usage.l1Small()),
                        size(usage.trace()),
                        size(usage.circularBuffers()),
                        size(usage.kernels()));
            }
            table.lines().forEach(out::println);
        } catch (IOException e) {
            throw server.noAnswer(e);
        }
        return ExitStatus.CLEAN.code();
    }

    private String size(long bytes) {
        return inBytes ? String.format(Locale.ROOT, "%d", bytes) : Quantities.shortSize(bytes);
    }
}
