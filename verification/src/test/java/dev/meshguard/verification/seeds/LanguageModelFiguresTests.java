package dev.meshguard.verification.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Phase;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.history.Timeline;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.LanguageModelRun;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Seed 001's run: 83,416 allocations, 381 buffers at the dump, and what they are. */
class LanguageModelFiguresTests {

    /** A volume run: every buffer says what it is for, so where it was asked for is left out. */
    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void hasTheSeedsCountsTotalsAndAddresses() {
        MeshDevice mesh = open();
        LanguageModelRun run = new LanguageModelRun(mesh);
        try (Scope test = tracker.phase(Phase.TEST)) {
            run.run();
        }
        assertThat(mib(tracker::liveBytes)).isEqualTo("499.23");
        run.releaseTrace();

        Map<BufferType, Timeline.Curve> curves = tracker.history().timeline().curvesBy(MemoryKey::type);
        assertThat(Stream.of(DRAM, L1, TRACE).map(type -> curves.get(type).between(0, Long.MAX_VALUE)))
                .extracting(Timeline.Section::allocatedBuffers, used -> mib(used::allocatedBytes))
                .containsExactly(tuple(49_158L, "78760.91"), tuple(34_250L, "6344.74"), tuple(8L, "95.39"));
        assertThat(tracker.history().events(HistoryEvent.Allocated.class))
                .filteredOn(event -> event.type() == TRACE)
                .hasSize(8)
                .extracting(HistoryEvent.Allocated::size, HistoryEvent.Allocated::address)
                .containsOnly(tuple(12_503_040L, 1_043_741_824L));
        assertThat(live(DRAM)).containsExactly(21L, 25L, 19L, 18L, 17L, 25L, 20L, 18L);
        assertThat(live(L1)).containsExactly(28L, 27L, 27L, 27L, 28L, 27L, 27L, 27L);
        assertThat(liveMib(DRAM)).containsExactly("19.43", "59.83", "24.79", "8.77", "8.16", "67.30", "158.31", "8.78");
        assertThat(liveMib(L1)).containsExactly("6.14", "5.94", "6.00", "6.42", "5.72", "5.93", "5.94", "6.38");
        assertThat(Stream.<LongSupplier>of(
                        tracker::liveBytes, () -> tracker.liveBytes(DRAM), () -> tracker.liveBytes(L1)))
                .map(LanguageModelFiguresTests::mib)
                .containsExactly("403.84", "355.37", "48.47");
        mesh.close();
        assertThat(mib(() -> LeakCheck.create().examine(tracker.history()).phaseUsages().stream()
                        .mapToLong(stretch -> stretch.peakBytes())
                        .max()
                        .orElseThrow()))
                .isEqualTo("499.23");
    }

    /** The runtime of that time reported none of these frees, and everything was still allocated when the close began. */
    @Test
    void freesLateWhatIsDroppedAfterTheClose() {
        MeshDevice mesh = open();
        LanguageModelRun run = new LanguageModelRun(mesh);
        run.loadModel();
        mesh.close();
        run.dropModel();

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        assertThat(verdict.outcome()).isEqualTo(Outcome.FREED_LATE);
        assertThat(verdict.survivors()).hasSize(381).extracting(Survivor::cause).containsOnly(Cause.LATE);
    }

    private MeshDevice open() {
        return Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults()
                        .withMeshShape(MeshShape.of(2, 4))
                        .withTraceRegionSize(30_000_000));
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
                .mapToObj(device -> mib(() -> tracker.liveBytes(device, type)))
                .toList();
    }

    private static String mib(LongSupplier bytes) {
        return String.format(Locale.ROOT, "%.2f", bytes.getAsLong() / (double) (1 << 20));
    }
}
