package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.Owner;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A circular buffer whose program ended without anyone reporting that it is gone.
 *
 * <p>Programs place their circular buffers outside the allocator, so no witness can contradict the books here; the
 * evidence is the end of every program that may still have a report open. Seen on the real runtime as "three L1 buffers of
 * 4096 bytes on device 0".
 */
final class CircularBufferUnreported implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        if (survivor.buffer().kind() != BufferKind.CIRCULAR_BUFFER) {
            return Optional.empty();
        }
        List<Evidence> evidence = new ArrayList<>();
        for (Report report : survivor.buffer().reports()) {
            Optional<Owner> program = report.request().details().owner();
            OptionalLong end = program.map(survivor.history()::endOf).orElse(OptionalLong.empty());
            boolean over = end.isPresent()
                    && end.getAsLong() > report.allocatedAt()
                    && report.request().details().kind() == BufferKind.CIRCULAR_BUFFER;
            if (!over && !isTakenBackByItsOwner(survivor, report)) {
                return Optional.empty();
            }
            if (report.isOpen()) {
                evidence.add(Evidence.of(
                        "%s ended at event #%d".formatted(program.orElseThrow(), end.getAsLong()), end.getAsLong()));
            }
        }
        return Optional.of(new Diagnosis(Cause.CIRCULAR_BUFFER_UNREPORTED, Standing.MISREPORTED, evidence));
    }

    /** A free that does not say whose it is may have been that of any report, the open ones too. */
    private static boolean isTakenBackByItsOwner(Case survivor, Report report) {
        return survivor.freeOf(report)
                .filter(free -> free.request()
                        .details()
                        .owner()
                        .equals(report.request().details().owner()))
                .isPresent();
    }
}
