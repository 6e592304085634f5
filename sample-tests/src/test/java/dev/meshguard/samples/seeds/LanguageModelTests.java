package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.samples.support.LanguageModelRun.KV_CACHE;
import static dev.meshguard.samples.support.LanguageModelRun.WEIGHTS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.handle.HandleSearch;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.LanguageModelRun;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.script.CollectedGarbage;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Seed 001's run: 83,416 allocations, 381 buffers at the dump, and what they are. */
class LanguageModelTests {

    /** A volume run: every buffer says what it is for, so where it was asked for is left out. */
    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    private Ttnn ttnn;
    private MeshDevice mesh;
    private LanguageModelRun model;

    @BeforeEach
    void run() {
        ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build();
        mesh = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(30_000_000));
        model = new LanguageModelRun(mesh);
        try (Scope test = tracker.phase(Phase.TEST)) {
            model.run();
        }
    }

    @Test
    void reportsTheSeedsCountsAndTotals() {
        assertThat(allocated(DRAM)).isEqualTo(49_158);
        assertThat(allocated(L1)).isEqualTo(34_250);
        assertThat(allocated(TRACE)).isEqualTo(8);
        assertThat(mib(total(DRAM))).isEqualTo("78760.91");
        assertThat(mib(total(L1))).isEqualTo("6344.74");
        assertThat(mib(total(TRACE))).isEqualTo("95.39");
    }

    @Test
    void tracesTakeTheSeedsSizeAndAddressOnEveryDevice() {
        List<HistoryEvent.Allocated> traces = tracker.history().events().stream()
                .filter(HistoryEvent.Allocated.class::isInstance)
                .map(HistoryEvent.Allocated.class::cast)
                .filter(event -> event.type() == TRACE)
                .toList();

        assertThat(traces).hasSize(8).allSatisfy(trace -> {
            assertThat(trace.size()).isEqualTo(12_503_040);
            assertThat(trace.address()).isEqualTo(1_043_741_824);
        });
    }

    @Test
    void peaksBeforeTheTraceIsReleased() {
        assertThat(mib(tracker.liveBytes())).isEqualTo("499.23");

        model.releaseTrace();

        assertThat(mib(tracker.liveBytes())).isEqualTo("403.84");
        ttnn.closeMeshDevice(mesh);
        long peak = LeakCheck.create().examine(tracker.history()).phaseUsages().stream()
                .mapToLong(stretch -> stretch.peakBytes())
                .max()
                .orElseThrow();
        assertThat(mib(peak)).isEqualTo("499.23");
    }

    @Test
    void leavesTheSeedsBuffersOnEveryDevice() {
        model.releaseTrace();

        assertThat(live(DRAM)).containsExactly(21L, 25L, 19L, 18L, 17L, 25L, 20L, 18L);
        assertThat(liveMib(DRAM)).containsExactly("19.43", "59.83", "24.79", "8.77", "8.16", "67.30", "158.31", "8.78");
        assertThat(live(L1)).containsExactly(28L, 27L, 27L, 27L, 28L, 27L, 27L, 27L);
        assertThat(liveMib(L1)).containsExactly("6.14", "5.94", "6.00", "6.42", "5.72", "5.93", "5.94", "6.38");
        assertThat(mib(tracker.liveBytes(DRAM))).isEqualTo("355.37");
        assertThat(mib(tracker.liveBytes(L1))).isEqualTo("48.47");
        assertThat(tracker.liveBuffers()).isEqualTo(381);
    }

    /** The seed inferred "weights and caches" from sizes; here the code says so. */
    @Test
    void leaksWeightsAndCachesThatAreStillHeldWhenTheMeshCloses() {
        model.releaseTrace();
        ttnn.closeMeshDevice(mesh);

        HandleSearch.from(this).trace(tracker, tracker.history());
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.sum().leaked()).isEqualTo(381);
        assertThat(labelled(verdict, WEIGHTS)).isEqualTo(163);
        assertThat(labelled(verdict, KV_CACHE)).isEqualTo(218);
        assertThat(verdict.survivors()).extracting(Survivor::cause).containsOnly(Cause.HELD);
        assertThat(wordsOf(verdict.survivors().get(0)))
                .startsWith(
                        "still referenced by LanguageModelTests.model -> LanguageModelRun.weights -> ArrayList[0] (");
        assertThat(wordsOf(verdict.survivors().get(380)))
                .startsWith(
                        "still referenced by LanguageModelTests.model -> LanguageModelRun.caches -> ArrayList[217] (");
    }

    /** Nobody refers to the model any more, and a runtime that frees nothing by itself has lost it. */
    @Test
    void losesWeightsAndCachesThatNobodyHoldsWhenTheMeshCloses() {
        model.releaseTrace();
        model = new LanguageModelRun(mesh);
        ttnn.closeMeshDevice(mesh);

        HandleSearch.from(this).trace(tracker, tracker.history());
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.survivors()).hasSize(381).extracting(Survivor::cause).containsOnly(Cause.LOST);
        assertThat(wordsOf(verdict.survivors().get(0)))
                .startsWith("no handle to it is reachable any more, and no free of it was reported (");
    }

    /** The same loss where destructors run: the next collection gives everything back. */
    @Test
    void leavesNothingOfWhatNobodyHoldsOnceHandlesAreFreedOnCollection() {
        AllocationTracker other =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        Ttnn collecting = Ttnn.builder(other)
                .preset(RuntimePreset.OCTOBER_2025)
                .handleRelease(HandleRelease.ON_COLLECT)
                .build();
        MeshDevice small = collecting.openMeshDevice(MeshShape.of(2, 4));

        CollectedGarbage.collect(CollectedGarbage.of(() -> {
            LanguageModelRun lost = new LanguageModelRun(small);
            lost.loadModel();
            return lost;
        }));
        collecting.closeMeshDevice(small);

        LeakVerdict verdict = LeakCheck.create().examine(other.history());
        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict.sum().freed()).isEqualTo(381);
    }

    /** Freed after close: the runtime of that time reported none of it, and all of it was still allocated when the close began. */
    @Test
    void freesLateWhatIsDroppedAfterTheClose() {
        model.releaseTrace();
        ttnn.closeMeshDevice(mesh);
        model.dropModel();

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.outcome()).isEqualTo(Outcome.FREED_LATE);
        assertThat(verdict.survivors()).hasSize(381).extracting(Survivor::cause).containsOnly(Cause.LATE);
    }

    @Test
    void isLeakFreeWhenTheModelIsDroppedFirst() {
        model.releaseTrace();
        model.dropModel();
        ttnn.closeMeshDevice(mesh);

        assertThat(LeakCheck.create().examine(tracker.history()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    private long allocated(BufferType type) {
        return IntStream.range(0, 8)
                .mapToLong(device -> tracker.totals(device, type).totalBuffers())
                .sum();
    }

    private long total(BufferType type) {
        return IntStream.range(0, 8)
                .mapToLong(device -> tracker.totals(device, type).totalBytes())
                .sum();
    }

    private List<Long> live(BufferType type) {
        return IntStream.range(0, 8)
                .mapToObj(device -> tracker.snapshot()
                        .amounts()
                        .getOrDefault(new MemoryKey(device, type, BufferLifetime.USER), Amount.NOTHING)
                        .buffers())
                .toList();
    }

    private List<String> liveMib(BufferType type) {
        return IntStream.range(0, 8)
                .mapToObj(device -> mib(tracker.liveBytes(device, type)))
                .toList();
    }

    private static String wordsOf(Survivor survivor) {
        return survivor.diagnosis().evidence().get(0).text();
    }

    private static long labelled(LeakVerdict verdict, String label) {
        return verdict.survivors(survivor ->
                        survivor.buffer().label().filter(label::equals).isPresent())
                .size();
    }

    private static String mib(long bytes) {
        return BigDecimal.valueOf(bytes)
                .divide(BigDecimal.valueOf(1 << 20), 2, RoundingMode.HALF_UP)
                .toPlainString();
    }
}
