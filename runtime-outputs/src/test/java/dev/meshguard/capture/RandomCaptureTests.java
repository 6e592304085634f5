package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.history.Timeline;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Captures of random programs have the buffers of the program, and no cause is named from them; rerun a seed with {@code
 * -Dmeshguard.seed=…}.
 */
class RandomCaptureTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_125);
    private static final int PROGRAMS = Integer.getInteger("meshguard.operations", 25_000) / 250;
    private static final int STEPS = 120;

    /** A random program, and what it has allocated. */
    private static final class Program {
        private final Random random;
        private final WrittenGraph graph;
        private final boolean dispatches;
        private final Map<Integer, Memory> live = new HashMap<>();
        private final Map<Integer, Memory> fromBefore = new HashMap<>();
        private final List<Integer> tensors = new ArrayList<>();
        private long nextAddress = 65_536;
        private long allocated;
        private long allocatedBytes;
        private int depth;

        private Program(Random random, Age age) {
            this.random = random;
            this.graph = new WrittenGraph(age);
            this.dispatches = random.nextInt(4) > 0;
        }

        private void run() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(9)) {
                    case 0, 1, 2 -> allocate();
                    case 3, 4 -> free(live);
                    case 5 -> begin();
                    case 6 -> end();
                    case 7 -> {
                        Memory memory = memory();
                        fromBefore.put(graph.buffer(memory), memory);
                    }
                    default -> {
                        free(fromBefore);
                        graph.endCircularBuffers();
                        graph.circularBuffer(random.nextInt(2), 1024, random.nextBoolean());
                    }
                }
            }
            while (depth > 0) {
                end();
            }
        }

        private void allocate() {
            Memory memory = memory();
            int buffer = graph.allocate(memory);
            live.put(buffer, memory);
            tensors.add(graph.tensor(buffer, "Shape([32, 32])", buffer));
            allocated++;
            allocatedBytes += memory.size();
        }

        private Memory memory() {
            long size = 2048L * (1 + random.nextInt(64));
            nextAddress += 2048;
            // A freed address is used again.
            long address = dispatches ? nextAddress : 0;
            return random.nextBoolean() ? Memory.l1(address, size) : Memory.dram(address, size);
        }

        private void free(Map<Integer, Memory> buffers) {
            if (!buffers.isEmpty()) {
                List<Integer> all = new ArrayList<>(buffers.keySet());
                int buffer = all.get(random.nextInt(all.size()));
                Memory memory = buffers.remove(buffer);
                graph.free(buffer, memory);
                if (dispatches && random.nextBoolean()) {
                    nextAddress = Math.min(nextAddress, memory.address() - 2048);
                    nextAddress = highestLive(nextAddress);
                }
            }
        }

        private long highestLive(long from) {
            long highest = from;
            for (Memory memory : live.values()) {
                highest = Math.max(highest, memory.address());
            }
            for (Memory memory : fromBefore.values()) {
                highest = Math.max(highest, memory.address());
            }
            return highest;
        }

        private void begin() {
            int[] inputs = tensors.isEmpty() ? new int[0] : new int[] {tensors.get(random.nextInt(tensors.size()))};
            graph.begin("ttnn::op" + random.nextInt(5), inputs);
            depth++;
        }

        private void end() {
            if (depth > 0) {
                graph.end();
                depth--;
            }
        }

        private long liveBytes() {
            return live.values().stream().mapToLong(Memory::size).sum();
        }
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void aCaptureHasTheBuffersOfItsProgram(Age age) {
        Random random = new Random(SEED);
        for (int run = 0; run < PROGRAMS; run++) {
            Program program = new Program(random, age);
            program.run();
            String json = program.graph.close().json();
            RuntimeOutput capture = WrittenGraph.read(json);
            LeakVerdict verdict = LeakCheck.create().examine(capture.history());
            RuntimeOutput judgedAtEnd =
                    WrittenGraph.read(json, RuntimeOutputReader.create().judgedAtEnd());
            LeakVerdict atEnd = LeakCheck.create().examine(judgedAtEnd.history());
            String where = "seed " + SEED + ", " + age + ", run " + run;

            assertThat(capture.remaining())
                    .as(where)
                    .extracting(buffer -> buffer.node().orElseThrow())
                    .containsExactlyInAnyOrderElementsOf(program.live.keySet());
            assertThat(capture.remaining().stream()
                            .mapToLong(RemainingBuffer::size)
                            .sum())
                    .as(where)
                    .isEqualTo(program.liveBytes());
            assertThat(verdict.sum().allocated()).as(where).isEqualTo(program.allocated);
            assertThat(verdict.sum().undecided()).as(where).isEqualTo(program.live.size());
            assertThat(capture.history().generations()).as(where).hasSize((int) program.allocated);
            assertThat(verdict.totals().values().stream()
                            .mapToLong(Timeline.Section::allocatedBytes)
                            .sum())
                    .as(where)
                    .isEqualTo(program.allocatedBytes);
            assertThat(verdict.outcome())
                    .as(where)
                    .isEqualTo(program.live.isEmpty() ? Outcome.LEAK_FREE : Outcome.INCONCLUSIVE);
            assertThat(atEnd.outcome())
                    .as(where)
                    .isEqualTo(program.live.isEmpty() ? Outcome.LEAK_FREE : Outcome.LEAKED);
            assertThat(atEnd.survivors(any -> true))
                    .as(where)
                    .extracting(Survivor::cause)
                    .isEqualTo(Collections.nCopies(program.live.size(), Cause.UNEXPLAINED));
            assertThat(capture.history().lostReports()).as(where).isEmpty();
        }
    }
}
