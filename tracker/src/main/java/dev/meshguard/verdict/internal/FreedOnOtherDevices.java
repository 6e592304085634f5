package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.Ownership;
import dev.meshguard.tracker.WitnessReading.Testimony;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A buffer whose siblings on most other devices were freed.
 *
 * <p>Siblings are the buffers of one request, or, one to a device, those that one line of code asked for. Where the
 * devices free in lock-step (nothing on any device owns the memory, all buffers lie at one address) the memory went with
 * the siblings and only the books are wrong; where each device has books of its own, this device's memory is missing.
 */
final class FreedOnOtherDevices implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<BufferGeneration> siblings = survivor.siblings().of(buffer);
        if (siblings.size() > survivor.siblings().devices()) {
            return Optional.empty();
        }
        Set<Integer> devices = siblings.stream().map(BufferGeneration::device).collect(Collectors.toSet());
        List<BufferGeneration> freed =
                siblings.stream().filter(sibling -> !sibling.isLive()).toList();
        boolean oneToADevice = devices.size() == siblings.size();
        if (!oneToADevice || freed.size() * 2 <= siblings.size() || isHeldByAnother(buffer)) {
            return Optional.empty();
        }
        long last = freed.stream()
                .mapToLong(sibling -> sibling.diedAt().orElseThrow())
                .max()
                .orElseThrow();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(
                String.format(
                        Locale.ROOT,
                        "%d of %d %s were freed%s by event #%d, device %d's never was",
                        freed.size(),
                        siblings.size(),
                        words(buffer, siblings),
                        freed.stream().allMatch(BufferGeneration::isCollected)
                                ? " when their handles were collected,"
                                : "",
                        last,
                        buffer.device()),
                last));
        survivor.statement(survivor.due()).ifPresent(evidence::add);
        boolean lockStep = freeTogether(buffer, siblings) && survivor.testimony(survivor.due()) != Testimony.TAKEN;
        return Optional.of(new Diagnosis(
                Cause.FREED_ON_OTHER_DEVICES, lockStep ? Standing.MISREPORTED : Standing.LEAKED, evidence));
    }

    /** A later request got the same address: what its siblings' frees say is no longer about this memory. */
    private static boolean isHeldByAnother(BufferGeneration buffer) {
        return buffer.reports().stream()
                .anyMatch(report -> report.isOpen() && !report.request().equals(buffer.request()));
    }

    private static String words(BufferGeneration buffer, List<BufferGeneration> siblings) {
        boolean oneRequest =
                siblings.stream().allMatch(sibling -> sibling.request().equals(buffer.request()));
        return oneRequest ? "buffers of one mesh allocation" : "single-device buffers";
    }

    private static boolean freeTogether(BufferGeneration buffer, List<BufferGeneration> siblings) {
        return buffer.kind() == BufferKind.BUFFER
                && siblings.stream()
                        .allMatch(sibling -> sibling.address() == buffer.address()
                                && sibling.request().equals(buffer.request())
                                && sibling.reports().stream()
                                        .allMatch(report -> report.ownership() == Ownership.NON_OWNING));
    }
}
