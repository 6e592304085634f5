package dev.meshguard.server.log;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A log of tt-metal's allocation server after it was read: the history of its reports, and the gaps in it.
 *
 * <p>Reads every dialect that the field has written, even if lines are quoted in a document or a wrong encoding damaged
 * their marks. Use the history like a recorded one:
 *
 * <pre>{@code
 * ParsedLog log = AllocationLogReader.create().read(Path.of("server.log"));
 * LeakVerdict verdict = LeakCheck.create().examine(log.history());
 * }</pre>
 *
 * <h2>Missing and unread lines</h2>
 *
 * <p>An unrecognized line is counted in {@link #unread()}, with its number. The log itself may show that reports are
 * missing: by a free without an allocation, a wrong reference count, a wrong sum of the server, or a truncated last
 * line. The history then contains {@linkplain AllocationHistory#lostReports() lost reports} that name the line. Every
 * verdict on it is inconclusive, unless it is a leak in any case.
 *
 * <h2>Limits of a log</h2>
 *
 * <p>A log has no owners, no origins, and no allocator to compare with. A verdict on a
 * log therefore names fewer causes than one on a run, but no wrong ones. The check is at the last dump request, if only
 * frees follow; else at the end of the log.
 *
 * <p>Immutable and safe for use by several threads. {@code docs/runtime-outputs.md} describes the dialects.
 *
 * @param name the name of the log in messages
 * @param history the history of the log
 * @param linesOfEvents returns the line of the event with a number
 * @param lines the number of lines
 * @param reports the number of lines that report an allocation or a free
 * @param unread the unrecognized lines
 * @param comparedStatistics the number of sums in the log that were compared with the sum of the lines
 * @param differingStatistics the number of them that differ; the history contains the first as a lost report
 * @param notes the notes for a reader of the verdict, as whole sentences
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ParsedLog(
        String name,
        AllocationHistory history,
        LongFunction<OptionalLong> linesOfEvents,
        long lines,
        long reports,
        UnreadLines unread,
        long comparedStatistics,
        long differingStatistics,
        List<String> notes)
        implements HistorySource {

    /** Creates the record with its own copy of the list. */
    public ParsedLog {
        notes = List.copyOf(notes);
    }

    /** Returns the line of the event with a number, if there is such an event. */
    public OptionalLong lineOf(long event) {
        return linesOfEvents.apply(event);
    }

    /** Returns the use of each address, by device and address. */
    public List<AddressUse> addresses() {
        return AddressUse.allOf(this);
    }
}
