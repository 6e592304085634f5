package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The findings of verdicts on parts of a history, by request: the verdict on the whole does not judge them again.
 *
 * <p>A mesh that a thousand tests share has as many parts, and each buffer belongs to one or two of them.
 */
final class ExcludedFindings {

    private record Reported(ExcludedPart part, Survivor survivor) {}

    private final List<ExcludedPart> parts;
    /** In the order of the parts. */
    private final IdentityHashMap<MemoryRequest, List<Reported>> survivors = new IdentityHashMap<>(0);

    private final IdentityHashMap<MemoryRequest, List<Overwrite>> overwrites = new IdentityHashMap<>(0);
    /** Of frees that found nothing. */
    private final Set<MemoryRequest> frees = Collections.newSetFromMap(new IdentityHashMap<>(0));

    ExcludedFindings(List<ExcludedPart> parts) {
        this.parts = parts;
        for (ExcludedPart part : parts) {
            for (Survivor survivor : part.verdict().survivors()) {
                survivor.reports()
                        .forEach(report -> survivors
                                .computeIfAbsent(report.request(), unused -> new ArrayList<>(1))
                                .add(new Reported(part, survivor)));
            }
            part.verdict()
                    .overwrites()
                    .forEach(overwrite -> overwrites
                            .computeIfAbsent(overwrite.buffer().request(), unused -> new ArrayList<>(1))
                            .add(overwrite));
            for (Anomaly anomaly : part.verdict().anomalies()) {
                if (anomaly.event() instanceof HistoryEvent.Freed free) {
                    frees.add(free.request());
                }
            }
        }
    }

    /** Returns a buffer as the first part reported it that reported all of its remaining reports. */
    @SuppressWarnings("ReferenceEquality") // Parts are compared by identity.
    Optional<Survivor> reported(BufferGeneration buffer) {
        List<BufferGeneration.Report> remaining = buffer.isLive() ? buffer.reportsRemaining() : buffer.reports();
        return partsWith(remaining.get(0)).stream()
                .filter(one -> one.survivor().buffer().hasSameAddressAs(buffer))
                .filter(one -> remaining.stream()
                        .allMatch(report -> partsWith(report).stream().anyMatch(other -> other.part() == one.part())))
                .findFirst()
                .map(one -> new Survivor(
                        buffer,
                        one.survivor().diagnosis(),
                        Optional.of(one.part().entry())));
    }

    private List<Reported> partsWith(BufferGeneration.Report report) {
        return survivors.getOrDefault(report.request(), List.of());
    }

    boolean isReported(Anomaly anomaly) {
        return anomaly.event() instanceof HistoryEvent.Freed free && frees.contains(free.request());
    }

    /** Returns whether parts had every one of the events: another test may replay the trace once more. */
    boolean isReported(Overwrite overwrite) {
        return overwrites.getOrDefault(overwrite.buffer().request(), List.of()).stream()
                        .filter(overwrite::isSameLossAs)
                        .mapToLong(Overwrite::times)
                        .sum()
                >= overwrite.times();
    }

    /** Returns how many of the reported buffers are of each part, for parts with any. */
    List<ExpectationResult> results(List<Survivor> reported) {
        IdentityHashMap<Expectation, List<BufferGeneration>> ofParts = new IdentityHashMap<>(0);
        reported.forEach(
                survivor -> ofParts.computeIfAbsent(survivor.expectation().orElseThrow(), unused -> new ArrayList<>(1))
                        .add(survivor.buffer()));
        return parts.stream()
                .map(part -> result(part.entry(), ofParts.getOrDefault(part.entry(), List.of())))
                .filter(result -> !result.neverMatched())
                .toList();
    }

    private static ExpectationResult result(Expectation entry, List<BufferGeneration> buffers) {
        long bytes = buffers.stream().mapToLong(BufferGeneration::size).sum();
        return new ExpectationResult(entry, buffers.size(), bytes, 0, Deadline.NONE);
    }
}
