package dev.meshguard.assertions.error;

import static org.assertj.core.util.Strings.escapePercent;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message of an assertion against double frees, with both sides of each: the report and the earlier one. */
public final class ShouldBeWithoutAnomalies extends BasicErrorMessageFactory {

    private static final int MAX_SHOWN = 5;

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
        Map<Object, List<Anomaly>> groups = found.stream()
                .collect(Collectors.groupingBy(
                        ShouldBeWithoutAnomalies::keyOf, LinkedHashMap::new, Collectors.toList()));
        List<String> lines = new ArrayList<>();
        lines.add("Expecting no double free but found " + groups.size() + ":");
        boolean isFirstFreeUnknown = false;
        int number = 0;
        for (List<Anomaly> group : groups.values().stream().limit(MAX_SHOWN).toList()) {
            Anomaly again = group.get(0);
            Optional<HistoryEvent> first = firstFree(again, history);
            number++;
            lines.add(String.format(
                    Locale.ROOT,
                    "%d. %s %s: %s (event #%d)",
                    number,
                    again.type(),
                    place(group),
                    again.kind().description(),
                    again.event().number()));
            lines.add(site(HistoryEvent.requestOf(again.event())));
            lines.addAll(before(again, first));
            isFirstFreeUnknown |=
                    first.filter(ShouldBeWithoutAnomalies::isCallUnknown).isPresent();
        }
        if (groups.size() > MAX_SHOWN) {
            lines.add("… and " + (groups.size() - MAX_SHOWN) + " more");
        }
        if (isFirstFreeUnknown) {
            lines.add("To see who freed first, record with OriginCapture.ALLOCATIONS_AND_FREES.");
        }
        return PrintableText.lines(lines);
    }

    /** Frees of one request at the same address on several devices are one finding for the reader. */
    private static Object keyOf(Anomaly anomaly) {
        return HistoryEvent.requestOf(anomaly.event())
                .filter(request -> !request.isAnonymous())
                .<Object>map(request -> List.of(request, anomaly.kind(), anomaly.type(), anomaly.address()))
                .orElse(anomaly.event());
    }

    private static List<String> before(Anomaly again, Optional<HistoryEvent> first) {
        if (again.generation().isEmpty()) {
            return List.of("   no buffer was ever reported there");
        }
        BufferGeneration holder = again.generation().get();
        List<String> lines = new ArrayList<>();
        lines.add("   the buffer that was there, " + Quantities.size(holder.size()) + ", was allocated at event #"
                + holder.allocatedAt());
        lines.add(site(Optional.of(holder.request())));
        first.ifPresent(free -> {
            String earlier = "   and freed before, at event #" + free.number();
            if (holder.isCollected()) {
                lines.add(earlier + ", when its handle was collected");
            } else {
                lines.add(earlier);
                lines.add(site(HistoryEvent.requestOf(free)));
            }
        });
        return lines;
    }

    /** Returns the free before the anomaly that ended the buffer. */
    private static Optional<HistoryEvent> firstFree(Anomaly again, AllocationHistory history) {
        return again.generation().stream()
                .flatMapToLong(holder -> holder.freedAt().stream())
                .filter(number -> number < again.event().number())
                .mapToObj(history::event)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** A collected handle was freed by no call. */
    private static boolean isCallUnknown(HistoryEvent free) {
        return HistoryEvent.requestOf(free)
                .filter(release ->
                        release.details().handleCollected() || release.origin().isPresent())
                .isEmpty();
    }

    private static String place(List<Anomaly> group) {
        long address = group.get(0).address();
        List<Integer> devices = group.stream().map(Anomaly::device).distinct().toList();
        return devices.size() == 1
                ? HistoryEvent.addressOn(devices.get(0), address)
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
