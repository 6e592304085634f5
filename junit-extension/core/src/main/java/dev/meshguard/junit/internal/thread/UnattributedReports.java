package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The reports that belong to no tracked test of a run: a tracker with those of threads that work for nobody, and the number of those
 * by tests without annotation.
 *
 * <p>{@link RunningTest} decides. The end of the run checks the tracker. Safe for use by several threads.
 */
public final class UnattributedReports {

    private static final List<UnattributedReports> LIVE = new CopyOnWriteArrayList<>();

    /** The reports of a source before a run receives it: those of tests without annotation, and of its first tracked class. */
    private static final Map<String, UnattributedReports> EARLY = new ConcurrentHashMap<>();

    private final Set<String> sources = ConcurrentHashMap.newKeySet();
    private final Set<String> reporting = new LinkedHashSet<>();
    private final List<UnattributedReports> early = new ArrayList<>();
    private final List<UnattributedMemory> ofTests = new ArrayList<>();
    private final ThreadNotes threads = new ThreadNotes();
    private OriginCapture origins = OriginCapture.ALLOCATIONS;
    private List<RunningTest> outerTests = List.of();
    private long untracked;
    private boolean isWithoutListener;
    private boolean isEnded;
    private @Nullable AllocationTracker tracker;
    /** The tests that run, for the reader of each finding. */
    private String phase = "";

    private Scope phaseScope = () -> {};

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
        UnattributedReports before = sources.add(source) ? EARLY.remove(source) : null;
        RunningTest.received();
        if (before != null) {
            untracked += before.untracked();
            early.add(before);
        }
    }

    /** Counts an allocation by a test without annotation. */
    static void countUntracked(String source) {
        receiver(source).orElseGet(() -> early(source)).countUntracked();
    }

    private synchronized void countUntracked() {
        untracked++;
    }

    /**
     * Returns the tracker of the innermost run, if there is a run, and notes the calling thread.
     *
     * @param isOfClass whether a tracked class has allocated the memory, so that a run follows
     */
    static Optional<AllocationTracker> tracker(String source, boolean isOfClass, Supplier<ThreadNotes.Note> thread) {
        return receiver(source)
                .or(() -> isOfClass ? Optional.of(early(source)) : Optional.empty())
                .map(ofRun -> ofRun.received(source, thread.get()));
    }

    private static UnattributedReports early(String source) {
        return EARLY.computeIfAbsent(source, unused -> new UnattributedReports());
    }

    /** Returns whether a run receives the reports of a source. */
    static boolean isReceived(String source) {
        for (UnattributedReports ofRun : LIVE) {
            if (ofRun.sources.contains(source)) {
                return true;
            }
        }
        return false;
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

    private synchronized AllocationTracker received(String source, ThreadNotes.Note thread) {
        threads.add(thread);
        reporting.add(source);
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder().originCapture(origins).build();
            tracker = existing;
        }
        if (!thread.phase().equals(phase)) {
            phase = thread.phase();
            Scope before = phaseScope;
            phaseScope = existing.phase(phase);
            before.close();
        }
        return existing;
    }

    /** Receives memory on the tracker of a test that does not belong to it. */
    public synchronized void add(UnattributedMemory ofTest) {
        ofTests.add(ofTest);
    }

    /** Ends the run; returns the memory of threads that work for nobody, also before it, and what tests have left to it. */
    public synchronized List<UnattributedMemory> end() {
        LIVE.remove(this);
        isEnded = true;
        RunningTest.endNestedRun(outerTests);
        outerTests = List.of();
        return Stream.concat(
                        Stream.concat(early.stream(), Stream.of(this)).flatMap(reports -> reports.memory().stream()),
                        ofTests.stream())
                .toList();
    }

    private synchronized Optional<UnattributedMemory> memory() {
        return Optional.ofNullable(tracker)
                .map(ofThreads -> UnattributedMemory.ofThreads(
                        ofThreads, List.copyOf(reporting), threads.text().orElseThrow()));
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
