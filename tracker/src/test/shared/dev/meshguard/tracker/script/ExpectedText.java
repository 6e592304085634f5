package dev.meshguard.tracker.script;

import static java.util.Map.entry;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Expected texts that refer to events of a history, not to their numbers.
 *
 * <p>{@code {freed}} stands for the only free, {@code {freed 2}} for the second one, {@code {last freed}} for the last of
 * several, {@code {freed 2 to 4}} for a range, {@code {freed 2, 3}} and {@code {freed 2 and 3}} for lists. So a test
 * states which event the text has to name, and does not change when other events are recorded.
 *
 * <pre>{@code
 * expected(history, "freed at {freed}, after close began ({mesh closing})") // "freed at event #7, after close began (event #4)"
 * }</pre>
 */
public final class ExpectedText {

    private static final Map<String, Class<? extends HistoryEvent>> KINDS = Map.ofEntries(
            entry("allocated", HistoryEvent.Allocated.class),
            entry("freed", HistoryEvent.Freed.class),
            entry("free ignored", HistoryEvent.FreeIgnored.class),
            entry("mesh opened", HistoryEvent.MeshOpened.class),
            entry("mesh closing", HistoryEvent.MeshClosing.class),
            entry("mesh closed", HistoryEvent.MeshClosed.class),
            entry("device opened", HistoryEvent.DeviceOpened.class),
            entry("owner cached", HistoryEvent.OwnerCached.class),
            entry("owner ended", HistoryEvent.OwnerEnded.class),
            entry("witnessed", HistoryEvent.Witnessed.class),
            entry("reports lost", HistoryEvent.ReportsLost.class),
            entry("process died", HistoryEvent.ProcessDied.class),
            entry("tracking stopped", HistoryEvent.TrackingStopped.class),
            entry("checked", HistoryEvent.Checked.class),
            entry("handle traced", HistoryEvent.HandleTraced.class),
            entry("round began", HistoryEvent.RoundBegan.class));

    private static final Pattern REFERENCE =
            Pattern.compile("\\{(last )?([a-z ]+?)(?: (\\d+(?:(?:, | and | to )\\d+)*))?}");
    private static final Pattern POSITION = Pattern.compile("\\d+");

    private ExpectedText() {}

    /** Returns the text with {@code event #N} for each reference to an event. */
    public static String expected(AllocationHistory history, String text) {
        return REFERENCE.matcher(text).replaceAll(reference -> resolved(history, reference));
    }

    private static String resolved(AllocationHistory history, MatchResult reference) {
        Class<? extends HistoryEvent> kind = KINDS.get(reference.group(2));
        if (kind == null) {
            throw new IllegalArgumentException(reference.group() + " names none of " + KINDS.keySet());
        }
        List<? extends HistoryEvent> events = history.events(kind);
        String positions = reference.group(3);
        if (positions != null) {
            String numbers = POSITION.matcher(positions)
                    .replaceAll(position -> "#" + number(events, reference, Integer.parseInt(position.group())));
            return (POSITION.matcher(positions).matches() ? "event " : "events ") + numbers;
        }
        if (events.isEmpty() || (reference.group(1) == null && events.size() > 1)) {
            throw noSuchEvent(events, reference);
        }
        return "event #" + events.get(events.size() - 1).number();
    }

    private static long number(List<? extends HistoryEvent> events, MatchResult reference, int position) {
        if (position < 1 || position > events.size()) {
            throw noSuchEvent(events, reference);
        }
        return events.get(position - 1).number();
    }

    private static IllegalArgumentException noSuchEvent(List<? extends HistoryEvent> events, MatchResult reference) {
        return new IllegalArgumentException(
                "There are " + events.size() + " events for " + reference.group() + ": " + events);
    }
}
