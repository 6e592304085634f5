package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Gives the cause {@code CIRCULAR_BUFFER_UNREPORTED} to a circular buffer whose program ended without a reported free.
 *
 * <p>Programs place their circular buffers outside the allocator, so no witness can contradict the ledger. The evidence
 * is the end of every program that may still have an open report. On the real runtime this shows as "three L1 buffers
 * of 4096 bytes on device 0".
 */
public final class CircularBufferUnreportedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (survivor.buffer().kind() != BufferKind.CIRCULAR_BUFFER) {
            return Optional.empty();
        }
        Map<Owner, Long> ends = new LinkedHashMap<>();
        for (Report report : survivor.buffer().reports()) {
            Optional<Owner> program = report.details().owner();
            OptionalLong end = program.map(survivor.history()::endOf).orElse(OptionalLong.empty());
            boolean over = end.isPresent()
                    && end.getAsLong() > report.allocatedAt()
                    && report.details().kind() == BufferKind.CIRCULAR_BUFFER;
            if (!over && !isGone(survivor, report)) {
                return Optional.empty();
            }
            if (report.isOpen()) {
                ends.put(program.orElseThrow(), end.orElseThrow());
            }
        }
        return Optional.of(Diagnosis.of(Cause.CIRCULAR_BUFFER_UNREPORTED, SurvivorStatus.MISREPORTED, ended(ends))
                .and(List.of(outsideTheAllocator(survivor)))
                .and(onlyOnBusiestDevice(survivor)));
    }

    private static Evidence ended(Map<Owner, Long> ends) {
        String words = ends.entrySet().stream()
                .map(end -> end.getKey() + " ended at event #" + end.getValue())
                .collect(Collectors.joining(", "));
        return new Evidence(words + ", and its free was never reported", List.copyOf(ends.values()));
    }

    private static Evidence outsideTheAllocator(SurvivorFacts survivor) {
        String fact = "circular buffers lie outside the allocator, so closing the device cannot free it";
        return survivor.snapshot(Moment.CLOSE_BEGUN)
                .filter(unused -> survivor.addressState(Moment.CLOSE_BEGUN) == AddressState.FREE)
                .map(snapshot -> Evidence.formatted(
                        "%s (the allocator held nothing there at event #%d)", fact, snapshot.number()))
                .orElse(Evidence.of(fact));
    }

    /** A device that represents its whole mesh in the reports does not show where a program ran. */
    private static Optional<Evidence> onlyOnBusiestDevice(SurvivorFacts survivor) {
        int device = survivor.buffer().device();
        return survivor.history().meshes().stream()
                .filter(mesh -> mesh.busiestDevice() == device && mesh.devices().size() > 1)
                .findFirst()
                .map(mesh -> Evidence.of("it shows on device " + device
                        + " only because this source reports circular buffers of the whole mesh under that device"));
    }

    /**
     * A free without an owner may match any report, the open ones too; but the allocator knows whether its own buffer
     * is gone.
     */
    private static boolean isGone(SurvivorFacts survivor, Report report) {
        Optional<Owner> owner = report.release().flatMap(free -> free.details().owner());
        boolean byItsOwner = owner.isPresent() && owner.equals(report.details().owner());
        return byItsOwner
                || (!report.isOpen()
                        && report.details().kind() == BufferKind.BUFFER
                        && survivor.addressState(Moment.CLOSE_BEGUN) == AddressState.FREE);
    }
}
