package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Memory of the runtime itself: it is expected if it is PERSISTENT, and must be freed at the close if it is SYSTEM.
 *
 * <p>A device's own allocator and that of its mesh use the same addresses, so a user's buffer may also remain there.
 */
final class SystemRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        boolean isPersistent = survivor.allRemaining(details -> details.lifetime() == BufferLifetime.PERSISTENT);
        if (!isPersistent && !survivor.allRemaining(details -> details.lifetime() == BufferLifetime.SYSTEM)) {
            return Optional.empty();
        }
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.formatted(
                        "owned by %s, lifetime %s: %s",
                        buffer.owner().map(Object::toString).orElse("an owner that was not named"),
                        buffer.lifetime(),
                        isPersistent ? "it may outlive the close" : "the runtime has to free it at close")
                .provedBy(buffer.allocatedAt()));
        if (!isPersistent) {
            survivor.snapshotEvidence().ifPresent(evidence::add);
        }
        return Optional.of(
                isPersistent
                        ? Diagnosis.of(Cause.SYSTEM, SurvivorStatus.EXPECTED, evidence)
                        : LeakDiagnosis.of(Cause.SYSTEM, survivor, evidence));
    }
}
