package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reports that belong to no tracked test of a run: a tracker with those of threads that work for nobody, and the number of those
 * by tests without annotation.
 *
 * <p>{@link RunningTest} decides. The end of the run checks the tracker. Safe for use by several threads.
 */
public final class UnattributedReports {

    private static final List<UnattributedReports> LIVE = new CopyOnWriteArrayList<>();

    /** Allocations of tests without annotation before the first run receives them, by source. */
    private static final Map<String, LongAdder> EARLY = new ConcurrentHashMap<>();

    private final Set<String> sources = ConcurrentHashMap.newKeySet();
    private final Set<String> reporting = new LinkedHashSet<>();
    private final ThreadNotes threads = new ThreadNotes();
    private OriginCapture origins = OriginCapture.ALLOCATIONS;
    private List<RunningTest> outerTests = List.of();
    private long untracked;
    private boolean isWithoutListener;
    private boolean isEnded;
    private @Nullable AllocationTracker tracker;

    /** Begins the run, perhaps within a test: a test may run other tests. */
    public synchronized void begin(String idInRun) {
        outerTests = RunningTest.beginNestedRun(idInRun);
    }

    /** Records that no listener announced a test. */
    public synchronized void withoutListener() {
        isWithoutListener = true;
    }

    /** Receives the reports of one more source until the run ends. */
    public synchronized void receive(String source, OriginCapture captured) {
        if (sources.isEmpty() && !isEnded) {
            origins = captured;
            LIVE.add(this);
        }
        if (sources.add(source)) {
            LongAdder early = EARLY.remove(source);
            untracked += early == null ? 0 : early.sum();
        }
    }

    static boolean isReceived(String source) {
        return receiver(source).isPresent();
    }

    /** Counts an allocation by a test without annotation. */
    static void countUntracked(String source) {
        receiver(source)
                .ifPresentOrElse(
                        UnattributedReports::countUntracked,
                        () -> EARLY.computeIfAbsent(source, unused -> new LongAdder())
                                .increment());
    }

    /** Returns the tracker of the innermost run, if there is a run, and adds the calling thread to its notes. */
    static Optional<AllocationTracker> tracker(String source, Consumer<ThreadNotes> thread) {
        return receiver(source).map(ofRun -> {
            thread.accept(ofRun.threads);
            return ofRun.received(source);
        });
    }

    private static Optional<UnattributedReports> receiver(String source) {
        for (int i = LIVE.size() - 1; i >= 0; i--) {
            UnattributedReports ofRun = LIVE.get(i);
            if (ofRun.sources.contains(source)) {
                return Optional.of(ofRun);
            }
        }
        return Optional.empty();
    }

    private synchronized void countUntracked() {
        untracked++;
    }

    private synchronized AllocationTracker received(String source) {
        reporting.add(source);
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder().originCapture(origins).build();
            tracker = existing;
        }
        return existing;
    }

    /** Ends the run; returns the tracker if there was a report of a thread that works for nobody. */
    public synchronized Optional<AllocationTracker> end() {
        LIVE.remove(this);
        isEnded = true;
        RunningTest.endNestedRun(outerTests);
        outerTests = List.of();
        if (LIVE.isEmpty()) {
            RunningTest.forgetInvocations();
        }
        return Optional.ofNullable(tracker);
    }

    /** Returns the ids of the sources that reported. */
    public synchronized List<String> reporting() {
        return List.copyOf(reporting);
    }

    /** Returns the threads that work for nobody, with the tests that ran, for a reader. */
    public String threads() {
        return threads.text().orElseThrow();
    }

    /** Returns the number of allocations by tests without annotation. */
    public synchronized long untracked() {
        return untracked;
    }

    /** Returns whether tests without annotation could be recognized by their stacks only, and a source needed that. */
    public synchronized boolean lacksListener() {
        return isWithoutListener && !sources.isEmpty();
    }
}
