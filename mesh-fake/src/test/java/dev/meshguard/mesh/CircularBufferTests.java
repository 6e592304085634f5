package dev.meshguard.mesh;

import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.Rejections.assertRuntimeErrorBeginning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the addresses, the restrictions and the reports of a program's circular buffers.
 *
 * <p>The figures of the first tests are those of the runtime's own tests of circular buffers: tiles of 2,048 bytes, one index
 * each.
 */
class CircularBufferTests {

    private static final long BASE = 103_776;
    private static final long TILE = 2_048;
    private static final CoreRange CORE = new CoreRange(0, 0, 0, 0);
    private static final CoreRange COLUMN = new CoreRange(0, 0, 0, 2);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 1));
    private final Program program = ttnn.createProgram("copy");
    private final MeshWorkload workload = ttnn.createMeshWorkload().addProgram(program);

    @BeforeEach
    void forgetTheOpening() {
        reports.forget();
    }

    @Test
    void liesAboveThoseOfTheSameCoreForEveryIndexThereIs() {
        List<CircularBuffer> buffers =
                IntStream.range(0, 32).mapToObj(index -> tile(index, CORE)).toList();

        enqueue();

        assertThat(buffers)
                .extracting(CircularBuffer::address)
                .containsExactlyElementsOf(LongStream.range(0, 32)
                        .mapToObj(index -> BASE + index * TILE)
                        .toList());
    }

    @Test
    void mayNotReachIntoL1Buffers() {
        l1(128 * TILE);
        IntStream.range(0, 32)
                .forEach(index -> program.addCircularBuffer(
                        CircularBufferConfig.of(18 * TILE).on(CORE).at(index, TILE)));

        assertRuntimeErrorBeginning(
                this::enqueue,
                "Statically allocated circular buffers in program 1 clash with L1 buffers on core range [0-0 - 0-0]."
                        + " L1 buffer allocated at 1236992 and static circular buffer region ends at 1283424\n");
    }

    @Test
    void hasNoIndexBeyondThoseOfTheChip() {
        Program onBlackhole = Ttnn.builder(reports)
                .architecture(Architecture.BLACKHOLE)
                .build()
                .createProgram("copy");

        assertRuntimeError(
                () -> tile(32, CORE), "Buffer index (32) exceeds max number of circular buffers per core (32)");
        onBlackhole.addCircularBuffer(CircularBufferConfig.of(TILE).at(63, TILE));
        assertThatThrownBy(() -> onBlackhole.addCircularBuffer(
                        CircularBufferConfig.of(TILE).at(64, TILE)))
                .hasMessage("Buffer index (64) exceeds max number of circular buffers per core (64)");
    }

    @Test
    void sharesNoIndexWithAnotherOnTheSameCore() {
        tile(16, new CoreRange(0, 0, 1, 1));

        assertRuntimeError(
                () -> tile(16, new CoreRange(1, 1, 2, 2)),
                "Invalid circular buffer index: Cannot add circular buffer at index 16, another circular buffer"
                        + " already exists");
        tile(16, new CoreRange(2, 2, 3, 3));
        tile(17, new CoreRange(0, 0, 1, 1));
    }

    @Test
    void countsItsPagesInSixteenBits() {
        assertRuntimeError(
                () -> program.addCircularBuffer(CircularBufferConfig.of(65_536).at(0, 1)),
                "For buffer index 0, number of CB pages 65536 is greater than 65535."
                        + " Would cause wraparound in the CB calculations.");
        program.addCircularBuffer(CircularBufferConfig.of(65_535).at(0, 1));
    }

    @Test
    void beginsAtAMultipleOfTheDramAlignment() {
        program.addCircularBuffer(CircularBufferConfig.of(100));
        CircularBuffer above = program.createCircularBuffer(CircularBufferConfig.of(TILE));

        enqueue();

        assertThat(above.address()).isEqualTo(103_904);
    }

    @Test
    void liesAtOneAddressOnAllItsRangesAndLeavesAGapWhereOthersAreLower() {
        CoreRange low = new CoreRange(0, 0, 0, 0);
        CoreRange high = new CoreRange(5, 5, 5, 5);
        sized(3 * TILE, high);
        CircularBuffer both = sized(TILE, low, high);
        CircularBuffer onLow = sized(TILE, low);

        enqueue();

        assertThat(both.address()).isEqualTo(BASE + 3 * TILE);
        assertThat(onLow.address()).as("the gap is not filled").isEqualTo(BASE + 4 * TILE);
    }

    @Test
    void joinsRangesThatMakeUpOne() {
        CircularBuffer whole = sized(1_400_000, new CoreRange(0, 0, 0, 3), new CoreRange(1, 0, 1, 3));

        assertThatThrownBy(this::enqueue).hasMessageContaining("on core range [0-0 - 1-3] grow to 1503776 B");
        assertThat(whole.address()).isEqualTo(BASE);
    }

    @Test
    void passesOverAStackThatReachesHigherAlready() {
        CoreRange wide = new CoreRange(0, 0, 7, 0);
        sized(5 * TILE, new CoreRange(0, 0, 0, 0));
        CircularBuffer elsewhere = sized(TILE, new CoreRange(7, 0, 7, 0));
        CircularBuffer onWide = sized(TILE, wide);

        enqueue();

        assertThat(elsewhere.address()).isEqualTo(BASE);
        assertThat(onWide.address()).isEqualTo(BASE + 5 * TILE);
    }

    @Test
    void overlapsAnotherWhereAStackThatReachedHigherWasNotRaisedAsInTheRuntime() {
        CoreRange wide = new CoreRange(0, 0, 7, 0);
        sized(TILE, new CoreRange(0, 0, 0, 0));
        CircularBuffer large = sized(5 * TILE, new CoreRange(7, 0, 7, 0));
        CircularBuffer onWide = sized(TILE, wide);

        enqueue();

        assertThat(large.address()).isEqualTo(BASE);
        assertThat(onWide.address()).as("within the large one on core 7-0").isEqualTo(BASE + TILE);
    }

    @Test
    void staysInsideTheComputeGrid() {
        sized(TILE, new CoreRange(0, 0, 8, 7));

        assertRuntimeError(
                this::enqueue, "Circular buffer core range [0-0 - 8-7] in program 1 exceeds device compute grid (8x8)");
    }

    @Test
    void staysInsideL1AndIsNotReportedOtherwise() {
        program.addCircularBuffer(CircularBufferConfig.of(1_400_000));

        assertRuntimeErrorBeginning(
                this::enqueue,
                "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 1503776 B"
                        + " which is beyond max L1 size of 1499136 B\n");
        assertThatThrownBy(this::enqueue).isInstanceOf(MeshRuntimeException.class);
        workload.close();

        assertThat(reports.lines()).containsExactly("ended program 1 (copy)");
    }

    @Test
    void isNotReportedIfAnotherProgramOfItsWorkloadIsRejected() {
        MeshWorkload two = ttnn.createMeshWorkload()
                .addProgram(
                        MeshCoordinate.of(0, 0),
                        ttnn.createProgram("fits").addCircularBuffer(CircularBufferConfig.of(TILE)))
                .addProgram(
                        MeshCoordinate.of(0, 1),
                        ttnn.createProgram("large").addCircularBuffer(CircularBufferConfig.of(1_400_000)));
        MeshDevice other = ttnn.openMeshDevice(MeshShape.of(1, 2));
        reports.forget();

        assertThatThrownBy(() -> other.enqueueMeshWorkload(two)).isInstanceOf(MeshRuntimeException.class);

        assertThat(reports.lines()).isEmpty();
    }

    @Test
    void fitsUntilABufferIsInItsWayAndOnceThatIsGone() {
        program.addCircularBuffer(CircularBufferConfig.of(500_000));
        enqueue();
        MeshBuffer inTheWay = l1(1_390_000);
        assertThatThrownBy(this::enqueue).hasMessageContaining("clash with L1 buffers");

        inTheWay.deallocate();

        enqueue();
    }

    @Test
    void hasNoAddressBeforeItsProgramWasEnqueued() {
        CircularBuffer buffer = tile(0, CORE);

        assertRuntimeError(
                buffer::address, "Circular buffer has not been allocated, cannot request address at this time!");
    }

    @Test
    void saysWhatItIs() {
        assertThat(tile(0, COLUMN))
                .hasToString("CircularBuffer(2 KiB (2048 B) on each core of {[0-0 - 0-2]}, program 1 (copy))");
    }

    private CircularBuffer tile(int index, CoreRange cores) {
        return program.createCircularBuffer(
                CircularBufferConfig.of(TILE).on(cores).at(index, TILE));
    }

    private CircularBuffer sized(long size, CoreRange... cores) {
        return program.createCircularBuffer(CircularBufferConfig.of(size).on(cores));
    }

    private MeshBuffer l1(long size) {
        MeshBuffer buffer = mesh.allocate(BufferConfig.of(BufferType.L1, size, size));
        reports.forget();
        return buffer;
    }

    private void enqueue() {
        mesh.enqueueMeshWorkload(workload);
    }
}
