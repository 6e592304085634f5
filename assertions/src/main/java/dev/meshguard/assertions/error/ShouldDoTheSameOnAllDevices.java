package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.assertions.internal.DeviceComparison;
import dev.meshguard.assertions.internal.DeviceComparison.Usage;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for devices that differ from most devices. */
public final class ShouldDoTheSameOnAllDevices extends BasicErrorMessageFactory {

    private static final int MAX_SHOWN = 8;

    private ShouldDoTheSameOnAllDevices(DeviceComparison comparison) {
        super(escapePercent(text(comparison)));
    }

    /** Returns the message. */
    public static ShouldDoTheSameOnAllDevices shouldDoTheSameOnAllDevices(DeviceComparison comparison) {
        return new ShouldDoTheSameOnAllDevices(comparison);
    }

    private static String text(DeviceComparison comparison) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "Expecting all %d devices to do the same but %s from what %d did:",
                comparison.usages().size(),
                differing(comparison.different()),
                comparison.usualDevices()));
        lines.add("  most devices: " + description(comparison.usual(), comparison.usual()));
        for (int device : comparison
                .different()
                .subList(0, Math.min(MAX_SHOWN, comparison.different().size()))) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  device %d: %s",
                    device,
                    description(comparison.usages().getOrDefault(device, Map.of()), comparison.usual())));
        }
        int more = comparison.different().size() - MAX_SHOWN;
        if (more > 0) {
            lines.add("  … and " + more + " more");
        }
        lines.add("Compared are, for each type, the allocated and the live buffers of each device.");
        if (!comparison.busy().isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Device %s may have done more: the source reports more for it than it holds.",
                    join(comparison.busy())));
        }
        return PrintableText.lines(lines);
    }

    private static String differing(List<Integer> devices) {
        return String.format(
                Locale.ROOT, devices.size() == 1 ? "device %s differs" : "devices %s differ", join(devices));
    }

    private static String description(Map<BufferType, Usage> done, Map<BufferType, Usage> usual) {
        TreeSet<BufferType> types = new TreeSet<>(done.keySet());
        types.addAll(usual.keySet());
        return types.isEmpty()
                ? "nothing"
                : types.stream()
                        .map(type -> description(type, DeviceComparison.in(done, type)))
                        .collect(Collectors.joining("; "));
    }

    private static String description(BufferType type, Usage usage) {
        return String.format(
                Locale.ROOT,
                "%s %s, %s allocated, %s live",
                type,
                Quantities.count(usage.allocated(), "buffer"),
                Quantities.size(usage.allocatedBytes()),
                usage.live() == 0 ? "nothing" : usage.live() + ", " + Quantities.size(usage.liveBytes()) + ",");
    }

    private static String join(Iterable<Integer> devices) {
        List<String> ids = new ArrayList<>();
        devices.forEach(device -> ids.add(Integer.toString(device)));
        return String.join(", ", ids);
    }
}
