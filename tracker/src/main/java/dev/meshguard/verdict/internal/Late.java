package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.WitnessReading.Moment;
import dev.meshguard.tracker.WitnessReading.Testimony;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A buffer that was freed after the check.
 *
 * <p>Where the witness called it free in time, only the report of the free was late, which is the next rules' business.
 */
final class Late implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        Optional<BufferGeneration> later = survivor.laterLife().filter(life -> !life.isLive());
        Optional<HistoryEvent.Checked> check = survivor.history().check();
        if (later.isEmpty() || check.isEmpty() || survivor.testimony(survivor.due()) == Testimony.FREE) {
            return Optional.empty();
        }
        long freed = later.get().diedAt().orElseThrow();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(
                String.format(
                        Locale.ROOT,
                        "freed%s at event #%d, after the check (event #%d)%s",
                        later.get().isCollected() ? ", when its handle was collected," : "",
                        freed,
                        check.get().number(),
                        placeOf(later.get())),
                freed,
                check.get().number()));
        survivor.statement(Moment.CLOSE_BEGUN).ifPresent(evidence::add);
        return Optional.of(new Diagnosis(Cause.LATE, Standing.LEAKED, evidence));
    }

    private static String placeOf(BufferGeneration life) {
        long freed = life.diedAt().orElseThrow();
        return life.reports().stream()
                .filter(report -> report.freedAt().orElseThrow() == freed)
                .flatMap(report -> report.release().stream())
                .flatMap(release -> release.origin().stream())
                .findFirst()
                .map(origin -> ", at " + origin)
                .orElse("");
    }
}
