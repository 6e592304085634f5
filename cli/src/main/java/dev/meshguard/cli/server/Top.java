package dev.meshguard.cli.server;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.Printer;
import dev.meshguard.cli.common.Terminal;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the memory usage repeatedly. */
@Command(
        name = "top",
        description = "Shows what is allocated on each device, and how it changes.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "On a terminal the picture is drawn again and again; a bar is full at what the device has, or where the"
                    + " server does not know that, at the most there was so far. Into a pipe or a file goes a line for"
                    + " each device that changed, in bytes, with the change in brackets. Stop it with Ctrl+C. NO_COLOR=1"
                    + " switches colours off.",
            "",
            "Exit status:",
            "  0   it was stopped, or has shown as much as --count says",
            "  64  wrong usage, or no server answers",
            "  74  the answer could not be written",
            "",
            "Examples:",
            "  meshguard top",
            "  meshguard top --interval 200 --device 0 --record-size 144",
            "  meshguard top --count 60 | tee usage.txt"
        })
public final class Top implements Callable<Integer> {

    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    @Mixin
    private ServerAddress server = new ServerAddress();

    @Option(names = "--device", paramLabel = "N", description = "Show this device; may be given several times.")
    private List<Integer> asked = new ArrayList<>();

    @Option(
            names = "--interval",
            paramLabel = "MS",
            defaultValue = "1000",
            description = "Milliseconds between two looks (default: ${DEFAULT-VALUE}).")
    private long interval;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "Look so many times and end; 0 is without end (default: ${DEFAULT-VALUE}).")
    private long count;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InstantSource clock;
    private final boolean isTerminal;
    private final Map<Integer, DeviceInfo> infos = new LinkedHashMap<>();
    private final Map<Integer, MemoryUsage> shown = new LinkedHashMap<>();

    public Top() {
        this(InstantSource.system(), Terminal.isThere());
    }

    public Top(InstantSource clock, boolean isTerminal) {
        this.clock = clock;
        this.isTerminal = isTerminal;
    }

    @Override
    public Integer call() throws UsageException {
        if (interval < 0 || count < 0) {
            throw new UsageException("--interval and --count: give 0 or more");
        }
        Printer out = Printer.of(command);
        UsageScreen screen = new UsageScreen(isTerminal && System.getenv("NO_COLOR") == null);
        try (AllocationClient client = server.connect()) {
            List<Integer> devices = server.devices(asked, client);
            for (long look = 1; ; look++) {
                show(look(devices, client), screen, out);
                // If the reader of the output has exited, the command would otherwise run for ever.
                out.ensureWritten();
                if (look == count) {
                    break;
                }
                TimeUnit.MILLISECONDS.sleep(interval);
            }
        } catch (IOException e) {
            throw server.noAnswer(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitStatus.CLEAN.code();
    }

    private List<MemoryUsage> look(List<Integer> devices, AllocationClient client) throws IOException {
        List<MemoryUsage> usages = new ArrayList<>();
        for (int device : devices) {
            usages.add(client.query(device));
            if (isTerminal && !infos.containsKey(device)) {
                infos.put(device, server.knowsDevices() ? client.deviceInfo(device) : DeviceInfo.none(device));
            }
        }
        return usages;
    }

    private void show(List<MemoryUsage> usages, UsageScreen screen, Printer out) {
        String time = TIME.format(clock.instant().atZone(ZoneId.systemDefault()));
        if (isTerminal) {
            out.control(HOME_AND_CLEAR);
            out.println("meshguard top  " + server.socket() + "  " + time);
            for (MemoryUsage usage : usages) {
                out.println();
                screen.bars(usage, infos.getOrDefault(usage.device(), DeviceInfo.none(usage.device())))
                        .forEach(bar -> out.control(bar + System.lineSeparator()));
            }
        } else {
            for (MemoryUsage usage : usages) {
                if (!usage.equals(shown.put(usage.device(), usage))) {
                    out.println(screen.line(time, usage));
                }
            }
        }
    }
}
