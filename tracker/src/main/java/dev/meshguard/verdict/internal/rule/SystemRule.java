package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.List;
import java.util.Optional;

/**
 * Gives the cause {@code SYSTEM} to memory of the runtime itself, or of a static initializer.
 *
 * <p>The runtime must free SYSTEM memory at the close; PERSISTENT memory is expected. A device's own allocator and that of its
 * mesh use the same addresses, so a user's buffer may also remain there.
 *
 * <p>What a static initializer allocated lasts as long as its class, and is expected: whichever test happens to use the class
 * first would be blamed for it otherwise. A mesh is opened in a static field only by mistake, so memory of devices is judged as
 * any other.
 */
public final class SystemRule implements Rule {

    private static final String INITIALIZER = "<clinit>";

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (survivor.allRemaining(details -> details.lifetime() == BufferLifetime.PERSISTENT)) {
            return Optional.of(expected(owned(survivor, "it may outlive the close")));
        }
        if (survivor.allRemaining(details -> details.lifetime() == BufferLifetime.SYSTEM)) {
            Evidence owned = owned(survivor, "the runtime has to free it at close");
            return Optional.of(LeakDiagnosis.of(Cause.SYSTEM, survivor, owned).and(survivor.snapshotEvidence()));
        }
        return initializedClass(survivor.buffer())
                .map(type -> expected(Evidence.of(
                        "the static initializer of " + type + " allocated it, so it lasts as long as the class",
                        survivor.buffer().allocatedAt())));
    }

    private static Diagnosis expected(Evidence evidence) {
        return Diagnosis.of(Cause.SYSTEM, SurvivorStatus.EXPECTED, evidence);
    }

    private static Evidence owned(SurvivorFacts survivor, String consequence) {
        BufferGeneration buffer = survivor.buffer();
        return Evidence.formatted(
                        "owned by %s, lifetime %s: %s",
                        buffer.owner().map(Object::toString).orElse("an owner that was not named"),
                        buffer.lifetime(),
                        consequence)
                .provedBy(List.of(buffer.allocatedAt()));
    }

    private static Optional<String> initializedClass(BufferGeneration buffer) {
        return buffer.origin().filter(unused -> !buffer.hasDevice()).stream()
                .flatMap(origin -> origin.frames().stream())
                .filter(frame -> frame.getMethodName().equals(INITIALIZER))
                .map(StackTraceElement::getClassName)
                .findFirst();
    }
}
