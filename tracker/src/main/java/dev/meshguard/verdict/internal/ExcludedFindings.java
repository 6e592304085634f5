package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Deadline;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The findings of a verdict on a part of a history. */
public final class ExcludedFindings {

    private final Expectation entry;
    private final Set<MemoryRequest> requests;
    private final List<Overwrite> overwrites;
    private long buffers;
    private long bytes;

    private ExcludedFindings(Expectation entry, Set<MemoryRequest> requests, List<Overwrite> overwrites) {
        this.entry = entry;
        this.requests = requests;
        this.overwrites = overwrites;
    }

    /** Returns the findings of a verdict. */
    public static ExcludedFindings of(LeakVerdict part, String by) {
        Set<MemoryRequest> requests = Collections.newSetFromMap(new IdentityHashMap<>());
        part.survivors().stream()
                .map(Survivor::buffer)
                .flatMap(buffer -> reportsOf(buffer).stream())
                .forEach(report -> requests.add(report.request()));
        part.anomalies().stream().map(Anomaly::event).forEach(event -> {
            if (event instanceof HistoryEvent.Freed free) {
                requests.add(free.request());
            }
        });
        Expectation entry =
                Expectation.because("reported by " + by).atMost(part.survivors().size());
        return new ExcludedFindings(entry, requests, part.overwrites());
    }

    /** Returns these findings as before any comparison with a history. */
    ExcludedFindings afresh() {
        return new ExcludedFindings(entry, requests, overwrites);
    }

    Set<MemoryRequest> requests() {
        return requests;
    }

    List<Overwrite> overwrites() {
        return overwrites;
    }

    /** Returns the remaining reports: the open ones; for a buffer that was freed late, all. */
    static List<BufferGeneration.Report> reportsOf(BufferGeneration buffer) {
        return buffer.isLive() ? buffer.reportsRemaining() : buffer.reports();
    }

    /** Returns whether all remaining reports of a buffer were already reported, and counts it then. */
    boolean admits(BufferGeneration buffer) {
        boolean admitted = reportsOf(buffer).stream().allMatch(report -> requests.contains(report.request()));
        if (admitted) {
            buffers++;
            bytes += buffer.size();
        }
        return admitted;
    }

    Expectation entry() {
        return entry;
    }

    boolean hasAdmitted() {
        return buffers > 0;
    }

    ExpectationResult result() {
        return new ExpectationResult(entry, buffers, bytes, 0, Deadline.NONE);
    }
}
