package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.Quantities;
import dev.meshguard.tracker.WitnessReading.Moment;
import dev.meshguard.tracker.WitnessReading.Testimony;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Evidence;
import java.util.Locale;
import java.util.Optional;

/**
 * One survivor and what the history can say of it.
 *
 * @param buffer the survivor
 * @param history where to look
 * @param siblings finds buffers from the same line of code
 */
record Case(BufferGeneration buffer, AllocationHistory history, Siblings siblings) {

    /** The moment by which the memory had to be given back: the runtime has until the wipe, everybody else until close. */
    Moment due() {
        return areLeftWith(BufferLifetime.SYSTEM) ? Moment.BEFORE_WIPE : Moment.CLOSE_BEGUN;
    }

    /** Returns whether all that is left has one lifetime; a buffer must not hide behind another one at its address. */
    boolean areLeftWith(BufferLifetime lifetime) {
        return buffer.reportsLeft().stream()
                .allMatch(report -> report.request().details().lifetime() == lifetime);
    }

    /** Returns whether all that is left is of one kind. */
    boolean areLeftWith(BufferKind kind) {
        return buffer.reportsLeft().stream()
                .allMatch(report -> report.request().details().kind() == kind);
    }

    /** Returns what the witness said of the address at a moment of this life of the device. */
    Testimony testimony(Moment moment) {
        return reading(moment)
                .map(event -> event.reading().testify(buffer.device(), buffer.type(), buffer.address()))
                .orElse(Testimony.SILENT);
    }

    /** Returns what the witness said, as evidence, if it said anything. */
    Optional<Evidence> statement(Moment moment) {
        String when = switch (moment) {
            case CLOSE_BEGUN -> "when close began";
            case BEFORE_WIPE -> "before the allocators were wiped";
            case AFTER_WIPE -> "after the allocators were wiped";
        };
        return reading(moment).map(event -> {
            boolean taken =
                    event.reading().testify(buffer.device(), buffer.type(), buffer.address()) == Testimony.TAKEN;
            return Evidence.of(
                    String.format(
                            Locale.ROOT,
                            "the allocator%s called %s %s %s (event #%d)",
                            history.meshesSharedADevice()
                                    ? " of mesh " + event.reading().mesh()
                                    : "",
                            Quantities.address(buffer.address()),
                            taken ? "taken" : "free",
                            when,
                            event.number()),
                    event.number());
        });
    }

    /** Returns the event that took a report back, if one did. */
    Optional<HistoryEvent.Freed> freeOf(Report report) {
        return report.freedAt().stream()
                .mapToObj(number -> history.events().get((int) number - 1))
                .filter(HistoryEvent.Freed.class::isInstance)
                .map(HistoryEvent.Freed.class::cast)
                .findFirst();
    }

    /** Returns the free that the runtime ignored because the device was closed, if the code under test tried one. */
    Optional<HistoryEvent.FreeIgnored> freeAfterClose() {
        return siblings.freesAfterClose(buffer);
    }

    /** Returns the last free that the runtime ignored because another handle shares the buffer, if there was one. */
    Optional<HistoryEvent.FreeIgnored> freeWhileShared() {
        return siblings.freeWhileShared(buffer);
    }

    /** Returns the reading of a moment of this life of the device that covers the buffer. */
    Optional<HistoryEvent.Witnessed> reading(Moment moment) {
        return history.readingFor(buffer, moment);
    }
}
