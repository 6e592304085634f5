package dev.meshguard.verdict.internal.rule;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SiblingCounts;
import dev.meshguard.verdict.internal.survivor.SiblingCounts.AllocationFreeCount;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.List;
import java.util.Optional;

/**
 * Gives the cause {@code FREED_ON_OTHER_DEVICES} to a survivor whose siblings on most other devices were all freed.
 *
 * <p>Siblings are the buffers of one request, or those that one line of code requested. The behaviour of most devices
 * is the reference. If the devices free together (nothing on any device owns the memory, all buffers have one address),
 * the memory was freed with the siblings and only the ledger is wrong. If each device has a ledger of its own, this
 * device's memory is missing.
 */
public final class FreedOnOtherDevicesRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        SiblingCounts siblings = survivor.siblings();
        AllocationFreeCount own = siblings.of(buffer.device());
        Optional<AllocationFreeCount> others = siblings.mostFreedAll().filter(most -> !own.equals(most));
        if (others.isEmpty()
                || survivor.freesAreInferred()
                || isHeldByAnother(buffer)
                || isArtefact(survivor, own, others.get())) {
            return Optional.empty();
        }
        Evidence difference = difference(buffer.device(), siblings, others.get());
        if (!siblings.areFreedTogether() || siblings.freedWith(survivor).isEmpty()) {
            return Optional.of(LeakDiagnosis.of(Cause.FREED_ON_OTHER_DEVICES, survivor, difference)
                    .and(survivor.snapshotEvidence()));
        }
        Evidence lockStep = Evidence.of("one allocator frees it on all devices at once, so only the report of device "
                + buffer.device() + " can be missing");
        return Optional.of(Diagnosis.of(Cause.FREED_ON_OTHER_DEVICES, SurvivorStatus.MISREPORTED, difference)
                .and(survivor.snapshotEvidence())
                .and(List.of(lockStep)));
    }

    /** More is reported under the device that represents its whole mesh than it holds. */
    private static boolean isArtefact(SurvivorFacts survivor, AllocationFreeCount own, AllocationFreeCount others) {
        int device = survivor.buffer().device();
        return !survivor.buffer().memoryDevices().contains(device)
                || (own.allocated() > others.allocated()
                        && survivor.history().meshes().stream().anyMatch(mesh -> mesh.busiestDevice() == device));
    }

    /**
     * Distinguishes never freed, allocated in excess, or both: three findings that lead to three places in the code.
     */
    private static Evidence difference(int device, SiblingCounts siblings, AllocationFreeCount others) {
        AllocationFreeCount own = siblings.of(device);
        if (own.allocated() == 1 && others.allocated() == 1) {
            return Evidence.formatted(
                    "%d of %d %s were freed%s by event #%d, device %d's never was",
                    siblings.total().freed(),
                    siblings.total().allocated(),
                    siblings.areOfOneRequest() ? "buffers of one mesh allocation" : "single-device buffers",
                    siblings.freesWereCollections() ? " when their handles were collected," : "",
                    siblings.lastFree(),
                    device);
        }
        boolean isExcess = own.allocated() > others.allocated() && own.freed() == others.freed();
        return Evidence.formatted(
                "device %d allocated %d from this line and freed %d, by event #%d; %d of %d devices allocated %s%d and freed"
                        + " all%s",
                device,
                own.allocated(),
                own.freed(),
                siblings.lastFree(),
                siblings.followers(others),
                siblings.devices(),
                isExcess ? "only " : "",
                others.allocated(),
                isExcess ? ", so device " + device + " allocated " + own.live() + " extra" : "");
    }

    /** A later request got the same address: the frees of its siblings are no longer about this memory. */
    private static boolean isHeldByAnother(BufferGeneration buffer) {
        return buffer.reports().stream()
                .anyMatch(report -> report.isOpen() && !report.request().equals(buffer.request()));
    }
}
