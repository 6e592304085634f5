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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds what earlier verdicts on parts of a history have already reported, by request: the verdict on the whole history
 * expects it and does not report it again.
 *
 * <p>A mesh that a thousand tests share has as many of them, and each buffer belongs to one or two.
 */
final class EarlierFindings {

    private record Reported(Expectation entry, Survivor survivor) {}

    private final List<EarlierVerdict> verdicts;
    /** In the order of the verdicts. */
    private final IdentityHashMap<MemoryRequest, List<Reported>> survivors = new IdentityHashMap<>(0);

    private final IdentityHashMap<MemoryRequest, List<Overwrite>> overwrites = new IdentityHashMap<>(0);
    /** Of frees that found nothing. */
    private final Set<MemoryRequest> frees = Collections.newSetFromMap(new IdentityHashMap<>(0));

    EarlierFindings(List<EarlierVerdict> verdicts) {
        this.verdicts = verdicts;
        for (EarlierVerdict earlier : verdicts) {
            for (Survivor survivor : earlier.verdict().survivors()) {
                Reported reported = new Reported(earlier.entry(), survivor);
                survivor.reports().forEach(report -> add(reported, report.request(), survivors));
            }
            for (Overwrite overwrite : earlier.verdict().overwrites()) {
                add(overwrite, overwrite.buffer().request(), overwrites);
            }
            for (Anomaly anomaly : earlier.verdict().anomalies()) {
                freeOf(anomaly).ifPresent(frees::add);
            }
        }
    }

    private static <T> void add(T finding, MemoryRequest request, Map<MemoryRequest, List<T>> findings) {
        findings.computeIfAbsent(request, unused -> new ArrayList<>(1)).add(finding);
    }

    /** Returns a buffer as the first verdict reported it that reported all of its remaining reports. */
    Optional<Survivor> reported(BufferGeneration buffer) {
        if (verdicts.isEmpty()) {
            return Optional.empty();
        }
        List<BufferGeneration.Report> remaining = buffer.isLive() ? buffer.reportsRemaining() : buffer.reports();
        return of(remaining.get(0))
                .filter(one -> one.survivor().buffer().hasSameAddressAs(buffer))
                .filter(one -> remaining.stream().allMatch(report -> hasReported(report, one.entry())))
                .findFirst()
                .map(one -> new Survivor(buffer, one.survivor().diagnosis(), Optional.of(one.entry())));
    }

    private Stream<Reported> of(BufferGeneration.Report report) {
        return survivors.getOrDefault(report.request(), List.of()).stream();
    }

    @SuppressWarnings("ReferenceEquality") // Each verdict has an entry of its own.
    private boolean hasReported(BufferGeneration.Report report, Expectation entry) {
        return of(report).anyMatch(other -> other.entry() == entry);
    }

    boolean isReported(Anomaly anomaly) {
        return freeOf(anomaly).filter(frees::contains).isPresent();
    }

    private static Optional<MemoryRequest> freeOf(Anomaly anomaly) {
        return anomaly.event() instanceof HistoryEvent.Freed || anomaly.kind() == Anomaly.Kind.FREED_BY_ADDRESS
                ? HistoryEvent.requestOf(anomaly.event())
                : Optional.empty();
    }

    /** Returns whether earlier verdicts had every one of the events: another test may replay the trace once more. */
    boolean isReported(Overwrite overwrite) {
        return overwrites.getOrDefault(overwrite.buffer().request(), List.of()).stream()
                        .filter(overwrite::isSameLossAs)
                        .mapToLong(Overwrite::times)
                        .sum()
                >= overwrite.times();
    }

    /** Returns how many of the reported buffers are of each verdict, for verdicts with any. */
    List<ExpectationResult> results(List<Survivor> reported) {
        IdentityHashMap<Expectation, List<BufferGeneration>> buffers = reported.stream()
                .collect(Collectors.groupingBy(
                        survivor -> survivor.expectation().orElseThrow(),
                        IdentityHashMap::new,
                        Collectors.mapping(Survivor::buffer, Collectors.toList())));
        List<ExpectationResult> results = new ArrayList<>();
        for (EarlierVerdict earlier : verdicts) {
            List<BufferGeneration> own = buffers.getOrDefault(earlier.entry(), List.of());
            if (!own.isEmpty()) {
                long bytes = own.stream().mapToLong(BufferGeneration::size).sum();
                results.add(new ExpectationResult(earlier.entry(), own.size(), bytes, 0, Deadline.NONE));
            }
        }
        return results;
    }
}
