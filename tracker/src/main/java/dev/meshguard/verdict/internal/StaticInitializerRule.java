package dev.meshguard.verdict.internal;

import dev.meshguard.event.Origin;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.Optional;

/**
 * Memory of a library that a static initializer allocated: it lasts as long as its class, and is expected.
 *
 * <p>Whichever test happens to use the class first would be blamed for it otherwise. A mesh is opened in a static field only by
 * mistake, so memory of devices is judged as any other.
 */
final class StaticInitializerRule implements Rule {

    private static final String INITIALIZER = "<clinit>";

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (survivor.buffer().hasDevice()) {
            return Optional.empty();
        }
        return survivor.buffer()
                .origin()
                .flatMap(StaticInitializerRule::initialized)
                .map(type -> Diagnosis.of(
                        Cause.SYSTEM,
                        SurvivorStatus.EXPECTED,
                        Evidence.formatted(
                                        "the static initializer of %s allocated it, so it lasts as long as the class",
                                        type)
                                .provedBy(survivor.buffer().allocatedAt())));
    }

    private static Optional<String> initialized(Origin origin) {
        return origin.frames().stream()
                .filter(frame -> frame.getMethodName().equals(INITIALIZER))
                .map(StackTraceElement::getClassName)
                .findFirst();
    }
}
