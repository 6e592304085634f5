package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.WitnessReading.Moment;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Memory of the runtime itself: it may stay if it is PERSISTENT, and must be gone after close if it is SYSTEM. */
final class SystemBuffer implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        BufferGeneration buffer = survivor.buffer();
        if (buffer.lifetime() == BufferLifetime.USER) {
            return Optional.empty();
        }
        boolean mayStay = buffer.lifetime() == BufferLifetime.PERSISTENT;
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(
                String.format(
                        Locale.ROOT,
                        "owned by %s, lifetime %s: %s",
                        buffer.owner().map(Object::toString).orElse("an owner that was not named"),
                        buffer.lifetime(),
                        mayStay ? "it may outlive the close" : "the runtime has to free it at close"),
                buffer.bornAt()));
        if (!mayStay) {
            survivor.statement(Moment.BEFORE_WIPE).ifPresent(evidence::add);
        }
        return Optional.of(new Diagnosis(Cause.SYSTEM, mayStay ? Standing.EXPECTED : Standing.LEAKED, evidence));
    }
}
