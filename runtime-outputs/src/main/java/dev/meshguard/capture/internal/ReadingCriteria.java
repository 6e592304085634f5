package dev.meshguard.capture.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.LogEvents;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * How a recording is read.
 *
 * @param today the day of the check
 * @param judgesEnd whether a buffer that remains has leaked; otherwise it may be freed later
 * @param last the operation after which nothing is read, if there is one
 * @param roundMark matches in the names of operations that begin a round
 * @param evidence the evidence that is compared with it
 */
public record ReadingCriteria(
        LocalDate today,
        boolean judgesEnd,
        OptionalInt last,
        Optional<Pattern> roundMark,
        List<DatedEvidence> evidence) {

    /** Adds a note about the buffers that remain, if they are not judged. */
    void noteRemaining(int remaining, String recording, CaptureNotes notes) {
        if (remaining > 0 && !judgesEnd) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s still allocated at the end of the %s; the device was not closed. Weights and caches always"
                            + " are.",
                    remaining == 1 ? "1 buffer is" : remaining + " buffers are",
                    recording));
        }
    }

    /** Adds the last events: whether what remains may be freed later, the notes, and the check. */
    void addTo(LogEvents events, int remaining, String recording, CaptureNotes notes) {
        boolean isOpen = remaining > 0 && !judgesEnd;
        if (isOpen) {
            events.add(new HistoryEvent.TrackingStopped(
                    events.nextNumber(),
                    String.format(Locale.ROOT, "the %s ended before the device was closed", recording)));
        }
        notes.all().forEach(note -> events.add(new HistoryEvent.SourceNoted(events.nextNumber(), note)));
        events.add(new HistoryEvent.Checked(events.nextNumber(), today));
    }

    boolean beginsRound(String operation) {
        return roundMark.filter(mark -> mark.matcher(operation).find()).isPresent();
    }

    /** Returns the error for a recording that does not have the last operation. */
    UnreadableOutputException withoutLast(String operations) {
        return new UnreadableOutputException(
                String.format(Locale.ROOT, "it has no operation %d. %s", last.orElseThrow(), operations));
    }
}
