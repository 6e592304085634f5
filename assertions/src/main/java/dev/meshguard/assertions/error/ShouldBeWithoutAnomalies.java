package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for double frees, with both sides of each: the report and the earlier one. */
public final class ShouldBeWithoutAnomalies extends BasicErrorMessageFactory {

    private static final int MAX_SHOWN = 5;

    /** Frees of one request at the same address on several devices are one finding for the reader. */
    private record Key(MemoryRequest request, Anomaly.Kind kind, BufferType type, long address) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && key.request == request
                    && key.kind == kind
                    && key.type == type
                    && key.address == address;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(address);
        }
    }

    private ShouldBeWithoutAnomalies(List<Anomaly> found, AllocationHistory history) {
        super(escapePercent(text(found, history)));
    }

    /**
     * Returns the message.
     *
     * @param found the anomalies; at least one
     * @param history their history
     */
    public static ShouldBeWithoutAnomalies shouldBeWithoutAnomalies(List<Anomaly> found, AllocationHistory history) {
        return new ShouldBeWithoutAnomalies(found, history);
    }

    private static String text(List<Anomaly> found, AllocationHistory history) {
        List<List<Anomaly>> groups = grouped(found);
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "Expecting no double free but found %d:", groups.size()));
        List<List<Anomaly>> shown = groups.subList(0, Math.min(MAX_SHOWN, groups.size()));
        for (int i = 0; i < shown.size(); i++) {
            lines.add((i + 1) + ". " + again(shown.get(i)));
            lines.add(site(requestOf(shown.get(i).get(0).event())));
            lines.addAll(before(shown.get(i).get(0), history));
        }
        if (groups.size() > MAX_SHOWN) {
            lines.add("… and " + (groups.size() - MAX_SHOWN) + " more");
        }
        if (shown.stream().anyMatch(group -> lacksFirstFree(group.get(0), history))) {
            lines.add("To see who freed first, record with OriginCapture.ALLOCATIONS_AND_FREES.");
        }
        return PrintableText.lines(lines);
    }

    private static String again(List<Anomaly> group) {
        Anomaly first = group.get(0);
        return String.format(
                Locale.ROOT,
                "%s %s: %s (event #%d)",
                first.type(),
                place(group),
                first.kind().description(),
                first.event().number());
    }

    private static List<String> before(Anomaly anomaly, AllocationHistory history) {
        if (anomaly.generation().isEmpty()) {
            return List.of("   no buffer was ever reported there");
        }
        BufferGeneration holder = anomaly.generation().get();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "   the buffer that was there, %s, was allocated at event #%d",
                Quantities.size(holder.size()),
                holder.allocatedAt()));
        lines.add(site(Optional.of(holder.request())));
        firstFree(anomaly, history).ifPresent(free -> {
            if (holder.isCollected()) {
                lines.add("   and freed before, at event #" + free.number() + ", when its handle was collected");
            } else {
                lines.add("   and freed before, at event #" + free.number());
                lines.add(site(requestOf(free)));
            }
        });
        return lines;
    }

    private static boolean lacksFirstFree(Anomaly anomaly, AllocationHistory history) {
        return firstFree(anomaly, history)
                .filter(free -> !requestOf(free)
                        .map(release -> release.details().handleCollected())
                        .orElse(false))
                .filter(free -> requestOf(free).flatMap(MemoryRequest::origin).isEmpty())
                .isPresent();
    }

    private static Optional<HistoryEvent> firstFree(Anomaly anomaly, AllocationHistory history) {
        return anomaly.generation()
                .filter(holder -> !holder.isLive())
                .map(holder -> holder.freedAt().orElseThrow())
                .filter(number -> number < anomaly.event().number())
                .flatMap(number -> history.events().stream()
                        .filter(event -> event.number() == number)
                        .findFirst());
    }

    private static List<List<Anomaly>> grouped(List<Anomaly> found) {
        Map<Object, List<Anomaly>> groups = new LinkedHashMap<>();
        for (Anomaly anomaly : found) {
            Object key = requestOf(anomaly.event())
                    .filter(request -> !request.isAnonymous())
                    .map(request -> (Object) new Key(request, anomaly.kind(), anomaly.type(), anomaly.address()))
                    .orElseGet(Object::new);
            groups.computeIfAbsent(key, unused -> new ArrayList<>()).add(anomaly);
        }
        return List.copyOf(groups.values());
    }

    private static Optional<MemoryRequest> requestOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.Freed freed) {
            return Optional.of(freed.request());
        }
        if (event instanceof HistoryEvent.FreeIgnored ignored) {
            return Optional.of(ignored.request());
        }
        return Optional.empty();
    }

    private static String place(List<Anomaly> group) {
        long address = group.get(0).address();
        List<Integer> devices = group.stream().map(Anomaly::device).distinct().toList();
        return devices.size() == 1
                ? Quantities.place(devices.get(0), address)
                : Quantities.address(address)
                        + devices.stream().map(String::valueOf).collect(Collectors.joining(", ", " on devices ", ""));
    }

    private static String site(Optional<MemoryRequest> request) {
        return "   at "
                + request.flatMap(MemoryRequest::origin)
                        .map(Object::toString)
                        .orElse("an unknown place (no origin was captured)");
    }
}
