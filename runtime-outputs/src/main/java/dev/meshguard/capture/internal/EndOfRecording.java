package dev.meshguard.capture.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.LogEvents;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Optional;

/**
 * How the end of a recording is judged.
 *
 * @param today the day of the check
 * @param isJudged whether a buffer that remains has leaked; otherwise it may be freed later
 */
public record EndOfRecording(LocalDate today, boolean isJudged) {

    /** Adds the last events; returns what a reader must know of the buffers that remain. */
    Optional<String> addTo(LogEvents events, int remaining, String recording) {
        boolean isOpen = remaining > 0 && !isJudged;
        if (isOpen) {
            events.add(new HistoryEvent.TrackingStopped(
                    events.nextNumber(),
                    String.format(Locale.ROOT, "the %s ended before the device was closed", recording)));
        }
        events.add(new HistoryEvent.Checked(events.nextNumber(), today));
        return !isOpen
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s still allocated at the end of the %s; the device was not closed. Weights and caches always"
                                + " are.",
                        remaining == 1 ? "1 buffer is" : remaining + " buffers are",
                        recording));
    }
}
