package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The last rule: it never passes, and claims no more than that the free is missing. */
final class Unexplained implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(freesOf(buffer), buffer.bornAt()));
        survivor.statement(survivor.due()).ifPresent(evidence::add);
        survivor.freeWhileShared().map(Unexplained::leftAlone).ifPresent(evidence::add);
        whoElse(buffer).ifPresent(evidence::add);
        return Optional.of(new Diagnosis(Cause.UNEXPLAINED, Standing.LEAKED, evidence));
    }

    /** Which of several requests at one address still holds it, nobody can tell. */
    @SuppressWarnings("ReferenceEquality") // A request is itself only.
    private static Optional<Evidence> whoElse(BufferGeneration buffer) {
        List<Report> left = buffer.reportsLeft();
        Report first = left.get(0);
        return left.stream()
                .filter(report -> report.request() != first.request())
                .reduce((earlier, later) -> later)
                .map(last -> Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "%d reports of that address are open, the last one of event #%d (%d B), at %s",
                                left.size(),
                                last.allocatedAt(),
                                last.size(),
                                Words.placeOf(last.request())),
                        last.allocatedAt()));
    }

    /** Who thinks that the buffer was freed wants to know why it was not. */
    private static Evidence leftAlone(HistoryEvent.FreeIgnored free) {
        return Evidence.of(
                String.format(
                        Locale.ROOT,
                        "a free of it was ignored (event #%d), because %s, at %s",
                        free.number(),
                        free.reason().words(),
                        Words.placeOf(free.request())),
                free.number());
    }

    private static String freesOf(BufferGeneration buffer) {
        int freed = buffer.reports().size() - buffer.openReports();
        return freed == 0
                ? "no free was reported"
                : String.format(
                        Locale.ROOT,
                        "reported %s, freed %s",
                        Words.times(buffer.reports().size()),
                        Words.times(freed));
    }
}
