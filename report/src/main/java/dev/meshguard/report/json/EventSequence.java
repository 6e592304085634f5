package dev.meshguard.report.json;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.report.internal.UnreadableLineException;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of a history while it is read, with the missing and unreadable ones.
 *
 * <p>Event numbers show missing events: after a loss they may skip, anywhere else a skip is a loss itself, unless the
 * header says that numbers may skip. Unreadable lines without a missing number are reported at the end.
 */
final class EventSequence {

    /** Limits the number of reported losses in a file that contains only damage. */
    private static final int MAX_REPORTED = 100;

    /** Losses at the end get numbers too. */
    private static final long MAX_NUMBER = Long.MAX_VALUE - 2 * MAX_REPORTED;

    /** The reason if compressed data is damaged. */
    static final String BROKEN = "its compressed data breaks off or is spoilt";

    private static final long UNKNOWN = -1;

    /** Unreadable lines up to the next event. */
    private record Damage(long first, long last, long lines, String reason) {

        private Damage and(long line) {
            return new Damage(first, line, lines + 1, reason);
        }

        private String description() {
            return lines == 1
                    ? "line " + first + " cannot be read, because " + reason
                    : lines + " lines from line " + first + " to line " + last + " cannot be read, the first because "
                            + reason;
        }
    }

    private final String source;
    private final List<HistoryEvent> events = new ArrayList<>();
    private final List<HistoryEvent.ReportsLost> lossesWithoutIndex = new ArrayList<>();
    private @Nullable Damage damage;
    private long last;
    private long read;
    private long missing;
    private int reported;
    private long unreported;
    private boolean gaps;

    EventSequence(String source) {
        this.source = source;
    }

    /** Returns whether numbers of written events skip where no loss explains it, as in the part of one test on a shared mesh. */
    static boolean hasGaps(List<HistoryEvent> events) {
        if (events.isEmpty() || events.get(events.size() - 1).number() == events.size()) {
            return false;
        }
        long last = 0;
        boolean afterLoss = false;
        for (HistoryEvent event : events) {
            if (event.number() != last + 1 && !afterLoss) {
                return true;
            }
            last = event.number();
            afterLoss = event instanceof HistoryEvent.ReportsLost;
        }
        return false;
    }

    /** From now on numbers may skip, and only the end line shows how many events are missing. */
    void mayHaveGaps() {
        gaps = true;
    }

    /** Adds an event from a line. */
    void add(HistoryEvent event, long line) throws UnreadableLineException {
        long number = event.number();
        if (number > MAX_NUMBER) {
            throw new UnreadableLineException("event #" + number + " has a number above " + MAX_NUMBER);
        }
        if (number <= last) {
            throw new UnreadableLineException("event #" + number + " comes after event #" + last);
        }
        if (!gaps) {
            reportMissing(number, line);
        }
        events.add(event);
        last = number;
        read++;
    }

    private void reportMissing(long next, long line) {
        long skipped = next - last - 1;
        if (damage != null) {
            report(damage, skipped);
        } else if (skipped > 0 && !isAfterLoss()) {
            String which = skipped == 1
                    ? "event #" + (last + 1) + " is"
                    : "events #" + (last + 1) + " to #" + (next - 1) + " are";
            lose(skipped, which + " missing before line " + line, true);
        }
    }

    /** Records an unreadable line. */
    void unreadable(long line, String reason) {
        damage = damage == null ? new Damage(line, line, 1, reason) : damage.and(line);
    }

    /** Records the end line, which contains the number of events. */
    void ended(long expected, long line) {
        long unaccounted = expected - read - missing;
        if (damage != null) {
            report(damage, Math.max(0, unaccounted));
        } else if (unaccounted != 0) {
            String counts = "line " + line + " counts " + Quantities.count(expected, "event");
            lose(Math.max(UNKNOWN, unaccounted), counts + ", and " + read + " could be read", false);
        }
    }

    /** Records that the file ends after a line, without an end line. */
    void cut(long line, boolean inTheMiddle) {
        if (inTheMiddle && damage != null && damage.lines() == 1) {
            damage = null;
        }
        String where = inTheMiddle ? "in the middle of" : "with";
        lose(UNKNOWN, "it ends " + where + " line " + line + " and has no end line, so the rest is missing", false);
    }

    /** The compressed data behind a line cannot be read. */
    void broken(long line) {
        lose(UNKNOWN, BROKEN + " after line " + line + ", so the rest is missing", false);
    }

    /** Returns all events, with the missing ones as lost reports; call it once, at the end. */
    List<HistoryEvent> finished() {
        if (damage != null) {
            report(damage, 0);
        }
        for (HistoryEvent.ReportsLost loss : lossesWithoutIndex) {
            last++;
            events.add(new HistoryEvent.ReportsLost(last, loss.count(), loss.reason()));
        }
        if (unreported > 0) {
            events.add(new HistoryEvent.ReportsLost(
                    last + 1, UNKNOWN, source + ": more is missing in " + Quantities.count(unreported, "other place")));
        }
        return events;
    }

    /** Returns whether anything was unreadable or missing. */
    boolean isDamaged() {
        return reported > 0;
    }

    private boolean isAfterLoss() {
        return !events.isEmpty() && events.get(events.size() - 1) instanceof HistoryEvent.ReportsLost;
    }

    /** Event numbers tell where damage lost events, unless none is missing there. */
    private void report(Damage found, long skipped) {
        lose(skipped > 0 ? skipped : UNKNOWN, found.description(), skipped > 0);
        damage = null;
    }

    private void lose(long count, String words, boolean isHere) {
        if (isHere) {
            missing += count;
        }
        if (reported == MAX_REPORTED) {
            unreported++;
            return;
        }
        reported++;
        if (isHere) {
            last++;
            events.add(new HistoryEvent.ReportsLost(last, count, source + ": " + words));
        } else {
            lossesWithoutIndex.add(new HistoryEvent.ReportsLost(0, count, source + ": " + words));
        }
    }
}
