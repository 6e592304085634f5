package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The tracker for reports of threads that work for no test, with the names of these threads.
 *
 * <p>{@link ThreadSession} returns this tracker to a source that reports on such a thread. The end of the run checks it. Safe for
 * use by several threads.
 */
public final class UnattributedReports {

    private static final int MAX_THREADS = 3;

    private static final List<UnattributedReports> LIVE = new CopyOnWriteArrayList<>();

    private final Set<String> sources = new HashSet<>();
    private final Set<String> reporting = new LinkedHashSet<>();
    private final Set<String> threads = new LinkedHashSet<>();
    private OriginCapture origins = OriginCapture.ALLOCATIONS;
    private boolean hasMoreThreads;
    private boolean isEnded;
    private @Nullable AllocationTracker tracker;

    /** Receives the reports of one more source until the run ends. */
    public synchronized void receive(String source, OriginCapture captured) {
        if (sources.isEmpty() && !isEnded) {
            origins = captured;
            LIVE.add(this);
        }
        sources.add(source);
    }

    /** Returns the tracker of the innermost run, if there is a run: a test may run other tests. */
    static Optional<AllocationTracker> tracker(String source) {
        for (int i = LIVE.size() - 1; i >= 0; i--) {
            Optional<AllocationTracker> ofRun = LIVE.get(i).received(source);
            if (ofRun.isPresent()) {
                return ofRun;
            }
        }
        return Optional.empty();
    }

    private synchronized Optional<AllocationTracker> received(String source) {
        if (isEnded || !sources.contains(source)) {
            return Optional.empty();
        }
        reporting.add(source);
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder().originCapture(origins).build();
            tracker = existing;
        }
        String name = "\"" + Thread.currentThread().getName() + "\"";
        if (threads.size() < MAX_THREADS) {
            threads.add(name);
        } else if (!threads.contains(name)) {
            hasMoreThreads = true;
        }
        return Optional.of(existing);
    }

    /** Ends them; returns the tracker if there was a report. */
    public synchronized Optional<AllocationTracker> end() {
        LIVE.remove(this);
        isEnded = true;
        return Optional.ofNullable(tracker);
    }

    /** Returns the ids of the sources that reported. */
    public synchronized List<String> reporting() {
        return List.copyOf(reporting);
    }

    /** Returns the names of the threads for a reader: the first ones, and whether there were more. */
    public synchronized String threads() {
        return String.join(", ", threads) + (hasMoreThreads ? " and others" : "");
    }
}
