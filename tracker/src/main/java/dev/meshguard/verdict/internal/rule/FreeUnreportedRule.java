package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.RepeatedReportEvidence;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Gives the cause {@code FREE_UNREPORTED} to a buffer that was freed although no report says so.
 *
 * <p>There are two proofs. (a) The witness lists the address as free at the required moment. (b) A buffer that the
 * runtime may free at a close was released when its device or mesh was closed, after which the runtime reports nothing.
 * A snapshot after the reset of the allocators proves nothing, because it lists real leaks as free too. Nor does any
 * snapshot where a circular buffer remains, because no allocator knows it.
 */
public final class FreeUnreportedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (!survivor.allRemaining(details -> details.kind() == BufferKind.BUFFER)
                || survivor.buffer().lifetime() == BufferLifetime.PERSISTENT) {
            return Optional.empty();
        }
        if (survivor.addressState() == AddressState.FREE) {
            boolean isOfRuntime = survivor.checkMoment() == Moment.BEFORE_WIPE
                    && survivor.reservedAgainAt().isEmpty();
            return Optional.of(unreported(survivor.snapshotEvidence().orElseThrow())
                    .and(isOfRuntime ? survivor.snapshotEvidence(Moment.CLOSE_BEGUN) : Optional.empty())
                    .and(RepeatedReportEvidence.of(survivor))
                    .and(whileTrackingWasOff(survivor)));
        }
        OptionalLong owner = survivor.siblings().ownerFreedAt(survivor);
        return owner.isPresent()
                ? Optional.of(unreported(Evidence.formatted(
                        "the buffer of the same request that owns its memory was freed at event #%d",
                        owner.getAsLong())))
                : survivor.freeAfterClose()
                        .filter(free -> !free.details().handleCollected())
                        .map(free -> unreported(releasedLate(survivor, free)));
    }

    private static Diagnosis unreported(Evidence decisive) {
        return Diagnosis.of(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED, decisive);
    }

    /** A report that could not be sent is no defect of the code that frees. */
    private static Optional<Evidence> whileTrackingWasOff(SurvivorFacts survivor) {
        return LeakDiagnosis.gapAfter(survivor.buffer(), survivor.history())
                .map(gap -> Evidence.formatted("tracking was off from event #%d on: %s", gap.number(), gap.reason()));
    }

    /** A device that several meshes use may still be open when one of them is closed. */
    private static Evidence releasedLate(SurvivorFacts survivor, HistoryEvent.FreeIgnored free) {
        OptionalInt mesh = survivor.buffer().mesh();
        return Evidence.formatted(
                "its handle was released after %s was closed (event #%d), when the runtime reports nothing",
                mesh.isPresent() && survivor.history().meshesSharedADevice() ? "mesh " + mesh.getAsInt() : "the device",
                free.number());
    }
}
