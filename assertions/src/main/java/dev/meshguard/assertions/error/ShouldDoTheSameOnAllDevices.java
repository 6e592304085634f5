package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.assertions.internal.DeviceComparison;
import dev.meshguard.assertions.internal.DeviceComparison.Deeds;
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

    private ShouldDoTheSameOnAllDevices(DeviceComparison conduct) {
        super(escapePercent(text(conduct)));
    }

    /** Returns the message. */
    public static ShouldDoTheSameOnAllDevices shouldDoTheSameOnAllDevices(DeviceComparison conduct) {
        return new ShouldDoTheSameOnAllDevices(conduct);
    }

    private static String text(DeviceComparison conduct) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "Expecting all %d devices to do the same but %s from what %d did:",
                conduct.deeds().size(),
                differing(conduct.different()),
                conduct.usualDevices()));
        lines.add("  most devices: " + description(conduct.usual(), conduct.usual()));
        for (int device : conduct.different()
                .subList(0, Math.min(MAX_SHOWN, conduct.different().size()))) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  device %d: %s",
                    device,
                    description(conduct.deeds().getOrDefault(device, Map.of()), conduct.usual())));
        }
        int more = conduct.different().size() - MAX_SHOWN;
        if (more > 0) {
            lines.add("  … and " + more + " more");
        }
        lines.add("Compared are, for each type, the allocated and the live buffers of each device.");
        if (!conduct.busy().isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "Device %s may have done more: the source reports more for it than it holds.",
                    join(conduct.busy())));
        }
        return PrintableText.lines(lines);
    }

    private static String differing(List<Integer> devices) {
        return String.format(
                Locale.ROOT, devices.size() == 1 ? "device %s differs" : "devices %s differ", join(devices));
    }

    private static String description(Map<BufferType, Deeds> done, Map<BufferType, Deeds> usual) {
        TreeSet<BufferType> types = new TreeSet<>(done.keySet());
        types.addAll(usual.keySet());
        return types.isEmpty()
                ? "nothing"
                : types.stream()
                        .map(type -> description(type, DeviceComparison.in(done, type)))
                        .collect(Collectors.joining("; "));
    }

    private static String description(BufferType type, Deeds deeds) {
        return String.format(
                Locale.ROOT,
                "%s %s, %s allocated, %s live",
                type,
                Quantities.count(deeds.allocated(), "buffer"),
                Quantities.size(deeds.allocatedBytes()),
                deeds.live() == 0 ? "nothing" : deeds.live() + ", " + Quantities.size(deeds.liveBytes()) + ",");
    }

    private static String join(Iterable<Integer> devices) {
        List<String> ids = new ArrayList<>();
        devices.forEach(device -> ids.add(Integer.toString(device)));
        return String.join(", ", ids);
    }
}
