package dev.meshguard.tracker;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.internal.Ledger.Effect;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a tracker's reports to the log of {@code dev.meshguard.tracker.AllocationTracker}.
 *
 * <p>It writes a line per event at DEBUG. At WARN it writes the first anomaly of each kind and each reason why reports are
 * lost. Text of the code under test is escaped, because most logs end on a terminal, and most layouts do not escape.
 */
final class EventLog {

    private static final Logger LOG = DetailLoggers.of(AllocationTracker.class);

    private final boolean isWritten;

    /** The kinds of anomalies and the reasons that were logged. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /**
     * Creates a log.
     *
     * @param isWritten whether anything is written; otherwise the source names what is wrong
     */
    EventLog(boolean isWritten) {
        this.isWritten = isWritten;
    }

    /** Returns whether each event is to be logged. */
    boolean isOn() {
        return isWritten && LOG.isDebugEnabled();
    }

    /** Logs an event. */
    void recorded(HistoryEvent event) {
        LOG.debug("{}", PrintableText.line(event.toString()));
    }

    /** Logs a report and its effect on the ledger. If threads report at the same time, its number may be that of a later one. */
    void recorded(HistoryEvent report, Effect effect) {
        LOG.debug("{}: {}", effect, PrintableText.line(report.toString()));
    }

    /** Logs the first anomaly of its kind: a report that a source should not make. */
    void anomaly(String kind, int device, BufferType type, long address) {
        if (isWritten && warned.add(kind)) {
            warn("First " + kind + " of this tracker: " + type + " " + Quantities.place(device, address));
        }
    }

    /** Logs that reports are missing, once for each reason. */
    void reportsLost(String reason) {
        if (isWritten && warned.add(reason)) {
            warn("Reports lost: " + PrintableText.line(reason));
        }
    }

    private static void warn(String line) {
        LoggerFactory.getLogger(AllocationTracker.class).warn(line);
    }
}
