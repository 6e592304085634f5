package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.WitnessReading.Moment;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A buffer that was freed after the check.
 *
 * <p>By a report of its free, by a release that the runtime ignored because the device was closed, or with siblings that one
 * allocator frees with it. Where the witness called it free in time, only the report was late, which is the next rules' business.
 */
final class Late implements Rule {

    private record Free(long event, String words) {}

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        Optional<Case> later = survivor.later();
        Optional<HistoryEvent.Checked> check = survivor.history().check();
        if (later.isEmpty() || check.isEmpty() || survivor.isProvedFree()) {
            return Optional.empty();
        }
        return freeAfter(later.get(), check.get().number()).map(free -> {
            List<Evidence> evidence = new ArrayList<>();
            evidence.add(Evidence.of(
                    String.format(
                            Locale.ROOT, free.words(), free.event(), check.get().number()),
                    free.event(),
                    check.get().number()));
            survivor.statement(Moment.CLOSE_BEGUN).ifPresent(evidence::add);
            return new Diagnosis(Cause.LATE, Standing.LEAKED, evidence);
        });
    }

    private static Optional<Free> freeAfter(Case later, long check) {
        return freed(later.buffer(), check).or(() -> released(later, check)).or(() -> freedTogether(later, check));
    }

    /** One free is enough for what one request reported, however often it did. */
    private static Optional<Free> freed(BufferGeneration life, long check) {
        Optional<Report> last = life.reports().stream()
                .filter(report -> report.freedAt().orElse(0) > check)
                .max(Comparator.comparingLong(report -> report.freedAt().orElseThrow()));
        boolean endsIt = last.isPresent()
                && life.reportsLeft().stream()
                        .allMatch(left -> left.request().equals(last.get().request())
                                && !left.request().isAnonymous());
        return last.filter(report -> endsIt)
                .map(report -> new Free(
                        report.freedAt().orElseThrow(),
                        (life.isCollected() ? "freed, when its handle was collected," : "freed")
                                + " at event #%d, after the check (event #%d)" + placeOf(report)));
    }

    private static String placeOf(Report report) {
        return report.release()
                .flatMap(release -> release.origin())
                .map(origin -> ", at " + origin.toString().replace("%", "%%"))
                .orElse("");
    }

    private static Optional<Free> released(Case later, long check) {
        return later.freeAfterClose()
                .filter(free -> free.number() > check)
                .map(free ->
                        new Free(free.number(), "its handle was released at event #%d, after the check (event #%d)"));
    }

    private static Optional<Free> freedTogether(Case later, long check) {
        return LockStep.freedBy(later).stream()
                .filter(event -> event > check)
                .mapToObj(
                        event -> new Free(
                                event,
                                "what one allocator frees together with it was freed at event #%d, after the check (event #%d)"))
                .findFirst();
    }
}
