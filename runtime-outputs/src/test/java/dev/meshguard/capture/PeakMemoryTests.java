package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.PeakMemory.Device;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The peaks of a capture are those that the helpers of the runtime describe. */
class PeakMemoryTests {

    /** The size in the fullest bank that {@link WrittenGraph} writes for each buffer. */
    private static final long BANK_SIZE = 2048;

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);

    private PeakMemory peaks() {
        return graph.close().read().peaks();
    }

    @Test
    void areThoseOfBuffersAndCircularBuffersAtATime() {
        Memory first = Memory.l1(1_488_896, 65_536);
        Memory second = Memory.dram(1_048_576, 4096);
        graph.begin("ttnn::relu");
        graph.begin("device operation");
        graph.circularBuffer(0, 1000, false);
        graph.circularBuffer(0, 500, true);
        int buffer = graph.allocate(first);
        graph.free(buffer, first);
        graph.endCircularBuffers();
        int later = graph.allocate(second);
        graph.free(later, second);
        graph.end().end();

        assertThat(peaks())
                .isEqualTo(new PeakMemory(
                        List.of(new Device(1, 65_536, 4096)),
                        OptionalLong.of(65_536 + 1000 + 500),
                        1000,
                        OptionalLong.of(BANK_SIZE),
                        OptionalLong.of(BANK_SIZE + 1000)));
    }

    @Test
    void countTheInputsOfAnOutermostOperationUntilTheyAreFreed() {
        Memory input = Memory.l1(1_488_896, 65_536);
        Memory output = Memory.l1(1_400_000, 1024);
        int tensor = graph.tensor(7, "Shape([32])");
        graph.begin("ttnn::relu", tensor);
        int buffer = graph.buffer(input);
        graph.begin("device operation");
        graph.allocate(output);
        graph.end().end();
        graph.free(buffer, input);
        graph.begin("ttnn::add");
        graph.begin("device operation");
        graph.allocate(Memory.l1(1_300_000, 1024));
        graph.end().end();

        assertThat(peaks().l1WithCircularBuffers()).hasValue(65_536 + 1024);
    }

    @Test
    void countABufferOnceWhoseNodeFollowsTheBeginningOfItsOperation() {
        graph.begin("ttnn::zeros");
        graph.allocate(Memory.l1(1_488_896, 65_536));
        graph.end();

        assertThat(peaks().l1WithCircularBuffers()).hasValue(65_536);
    }

    @Test
    void doNotSinkBelowZeroIfABufferFromBeforeIsFreed() {
        Memory before = Memory.l1(1_488_896, 65_536);
        graph.begin("ttnn::relu");
        graph.begin("device operation");
        int buffer = graph.buffer(before);
        graph.free(buffer, before);
        graph.allocate(Memory.l1(1_400_000, 1024));
        graph.end().end();

        PeakMemory peaks = peaks();

        assertThat(peaks.l1WithCircularBuffers()).hasValue(1024);
        assertThat(peaks.l1PerCore()).hasValue(BANK_SIZE);
    }

    @Test
    void areThoseOfTheFullestChip() {
        graph.circularBuffer(0, 1000, false);
        graph.circularBuffer(1, 3000, false);
        graph.circularBuffer(0, 1000, false);

        assertThat(peaks().circularBuffersPerCore()).isEqualTo(3000);
    }

    @Test
    void ofACoreAreUnknownIfTheCaptureHasNoSizeInABank() {
        WrittenGraph oldest = new WrittenGraph(Age.OLDEST);
        oldest.allocate(Memory.l1(1_488_896, 65_536));

        PeakMemory peaks = oldest.close().read().peaks();

        assertThat(peaks.l1PerCore()).isEmpty();
        assertThat(peaks.totalPerCore()).isEmpty();
        assertThat(peaks.devices()).containsExactly(new Device(0, 65_536, 0));
    }

    static Stream<Long> seeds() {
        Long given = Long.getLong("meshguard.seed");
        return given != null
                ? Stream.of(given)
                : new Random(20_261_128).longs(20).boxed();
    }

    /** The oracle adds up each event of the program again for each moment. */
    @ParameterizedTest(name = "-Dmeshguard.seed={0}")
    @MethodSource("seeds")
    void ofRandomProgramsAreTheLargestSums(long seed) {
        Random random = new Random(seed);
        List<Memory> live = new ArrayList<>();
        List<Integer> nodes = new ArrayList<>();
        List<Long> circular = new ArrayList<>();
        long l1 = 0;
        long dram = 0;
        long ofCore = 0;
        long circularOfCore = 0;
        long both = 0;
        graph.begin("ttnn::op");
        graph.begin("device operation");
        for (int i = 0; i < 100; i++) {
            int next = random.nextInt(10);
            if (next < 4) {
                long size = 1L + random.nextInt(100_000);
                Memory memory =
                        random.nextBoolean() ? Memory.l1(4096L * (i + 1), size) : Memory.dram(4096L * (i + 1), size);
                live.add(memory);
                nodes.add(graph.allocate(memory));
            } else if (next < 7 && !live.isEmpty()) {
                int freed = random.nextInt(live.size());
                graph.free(nodes.remove(freed), live.remove(freed));
            } else if (next < 9) {
                long size = random.nextInt(1000);
                graph.circularBuffer(0, size, false);
                circular.add(size);
            } else {
                graph.endCircularBuffers();
                circular.clear();
            }
            long liveL1 = live.stream()
                    .filter(memory -> memory.code() == 1)
                    .mapToLong(Memory::size)
                    .sum();
            long l1OfCore = BANK_SIZE
                    * live.stream().filter(memory -> memory.code() == 1).count();
            long placed = circular.stream().mapToLong(Long::longValue).sum();
            l1 = Math.max(l1, liveL1);
            dram = Math.max(
                    dram,
                    live.stream()
                            .filter(memory -> memory.code() == 0)
                            .mapToLong(Memory::size)
                            .sum());
            ofCore = Math.max(ofCore, l1OfCore);
            circularOfCore = Math.max(circularOfCore, placed);
            both = Math.max(both, liveL1 + placed);
        }

        PeakMemory peaks = peaks();

        assertThat(peaks.devices()).containsExactly(new Device(1, l1, dram));
        assertThat(peaks.l1PerCore()).hasValue(ofCore);
        assertThat(peaks.circularBuffersPerCore()).isEqualTo(circularOfCore);
        assertThat(peaks.l1WithCircularBuffers()).hasValue(both);
    }
}
