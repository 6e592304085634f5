package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * The findings of verdicts on parts of a history, by request.
 *
 * <p>A mesh that a thousand tests share has as many parts, and each buffer belongs to one or two of them.
 */
final class ExcludedHistories {

    private final List<ExcludedFindings> parts = new ArrayList<>();
    /** In the order of the parts. */
    private final IdentityHashMap<MemoryRequest, List<ExcludedFindings>> byRequest = new IdentityHashMap<>(0);

    private final IdentityHashMap<MemoryRequest, List<Overwrite>> overwritten = new IdentityHashMap<>(0);

    ExcludedHistories(List<ExcludedFindings> excluded) {
        for (ExcludedFindings one : excluded) {
            ExcludedFindings part = one.afresh();
            parts.add(part);
            part.requests()
                    .forEach(request -> byRequest
                            .computeIfAbsent(request, unused -> new ArrayList<>(1))
                            .add(part));
            part.overwrites()
                    .forEach(overwrite -> overwritten
                            .computeIfAbsent(overwrite.buffer().request(), unused -> new ArrayList<>(1))
                            .add(overwrite));
        }
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    boolean covers(Anomaly anomaly) {
        return anomaly.event() instanceof HistoryEvent.Freed free && byRequest.containsKey(free.request());
    }

    /** Returns whether parts had every one of the events: another test may replay the trace once more. */
    boolean covers(Overwrite overwrite) {
        return overwritten.getOrDefault(overwrite.buffer().request(), List.of()).stream()
                        .filter(overwrite::isSameLossAs)
                        .mapToLong(Overwrite::times)
                        .sum()
                >= overwrite.times();
    }

    /**
     * Counts a buffer for the first part that has reported all of its remaining reports, and returns the entry of that
     * part.
     */
    Optional<Expectation> admit(BufferGeneration buffer) {
        MemoryRequest first = ExcludedFindings.reportsOf(buffer).get(0).request();
        for (ExcludedFindings part : byRequest.getOrDefault(first, List.of())) {
            if (part.admits(buffer)) {
                return Optional.of(part.entry());
            }
        }
        return Optional.empty();
    }

    List<ExpectationResult> results() {
        return parts.stream()
                .filter(ExcludedFindings::hasAdmitted)
                .map(ExcludedFindings::result)
                .toList();
    }
}
