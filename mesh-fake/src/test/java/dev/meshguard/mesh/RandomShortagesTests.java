package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.event.shortage.MemoryShortage.Block;
import dev.meshguard.event.shortage.MemoryShortage.Holder;
import dev.meshguard.event.shortage.MemoryShortage.Reason;
import dev.meshguard.event.shortage.MemoryShortage.Room;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Runs random programs in a small memory, and compares each shortage with a map of the memory in which each unit knows its buffer. Every second
 * runtime is strict.
 *
 * <p>A failure names the seed of its program; {@code -Dmeshguard.seed=} with that number makes it the first program of the next
 * run. {@code -Dmeshguard.programs=} sets the number of programs.
 */
class RandomShortagesTests {

    private static final int STEPS = 60;
    private static final int UNITS = 48;
    private static final int UNIT = 2_048;
    private static final int BANKS = 64;
    private static final long ALL_L1 = 1_395_360;

    @Test
    void nameTheHoldersAndTheCheapestRoom() {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());
        int programs = Integer.getInteger("meshguard.programs", 200);
        int fragmented = 0;
        int rooms = 0;
        for (int i = 0; i < programs; i++) {
            Program program = new Program(firstSeed + i);
            program.run();
            fragmented += program.fragmented;
            rooms += program.rooms;
        }

        assertThat(fragmented)
                .as("fragmented memories, from seed %d", firstSeed)
                .isPositive();
        assertThat(rooms).as("rooms that were made, from seed %d", firstSeed).isPositive();
    }

    private static final class Program {

        private final long seed;
        private final Random random;
        private final MeshDevice mesh;
        private final long start;
        /** The address of the buffer that holds each unit of a bank. */
        private final long[] holders = new long[UNITS];

        private final Map<Long, MeshBuffer> buffers = new HashMap<>();
        private int fragmented;
        private int rooms;

        private Program(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            Ttnn.Builder ttnn = Ttnn.builder(AllocationTracker.builder()
                    .originCapture(OriginCapture.NONE)
                    .build());
            if (seed % 2 == 0) {
                ttnn.strict();
            }
            for (int index = random.nextInt(3); index > 0; index--) {
                ttnn.systemBuffer(
                        Owner.program("system " + index),
                        BufferType.L1,
                        (long) UNIT * (1 + random.nextInt(3)),
                        BufferLifetime.SYSTEM);
            }
            this.mesh = ttnn.build()
                    .openMeshDevice(MeshDeviceOptions.defaults()
                            .withMeshShape(MeshShape.of(1, 1))
                            .withL1SmallSize(ALL_L1 - (long) UNITS * UNIT));
            Arrays.fill(holders, -1);
            Allocator banks;
            try (MeshLock held = mesh.context().lock().acquire()) {
                banks = mesh.context().memory().allocator();
            }
            this.start = mesh.statistics(BufferType.L1).totalAllocatable() == (long) UNITS * UNIT
                    ? banks.bankBase(BufferType.L1)
                    : -1;
            banks.blocks(BufferType.L1, address -> Optional.empty())
                    .forEach(block -> occupy(block.start(), block.size()));
        }

        private void run() {
            assertThat(start).as("a bank has %d units", UNITS).isPositive();
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(3) == 0 && !buffers.isEmpty()) {
                    free(buffers.keySet().stream().sorted().toList().get(random.nextInt(buffers.size())));
                } else {
                    request(1 + random.nextInt(UNITS / 3), random.nextBoolean());
                }
            }
        }

        private void request(int units, boolean bottomUp) {
            try {
                allocate(units, bottomUp);
            } catch (InsufficientMemoryException rejected) {
                check(units, rejected.shortage().orElseThrow());
                rejected.shortage().orElseThrow().room().ifPresent(room -> {
                    rooms++;
                    room.blocks().forEach(block -> free(block.start()));
                    allocate(units, bottomUp); // Throws if this was not enough.
                });
            }
        }

        private void allocate(int units, boolean bottomUp) {
            BufferConfig config = BufferConfig.of(BufferType.L1, (long) units * UNIT * BANKS, UNIT)
                    .inDirection(bottomUp ? AllocationDirection.BOTTOM_UP : AllocationDirection.TOP_DOWN);
            MeshBuffer buffer = mesh.allocate(config);
            buffers.put(buffer.address(), buffer);
            occupy(buffer.address(), (long) units * UNIT);
        }

        private void occupy(long address, long size) {
            int first = (int) ((address - start) / UNIT);
            Arrays.fill(holders, first, first + (int) (size / UNIT), address);
        }

        private void free(long address) {
            buffers.remove(address).deallocate();
            for (int unit = 0; unit < UNITS; unit++) {
                holders[unit] = holders[unit] == address ? -1 : holders[unit];
            }
        }

        private void check(int units, MemoryShortage shortage) {
            Statistics bank = mesh.statistics(BufferType.L1);
            assertThat(shortage.holders().stream().mapToLong(Holder::bytes).sum())
                    .as("bytes of the holders, seed %d", seed)
                    .isEqualTo(bank.totalAllocated());
            assertThat(shortage.free()).as("free, seed %d", seed).isEqualTo(bank.totalFree());
            assertThat(shortage.largestFree()).as("largest free, seed %d", seed).isEqualTo(bank.largestFree());
            assertThat(shortage.holders())
                    .as("holders without a report, seed %d", seed)
                    .noneMatch(holder -> holder.lifetime().isEmpty());
            assertThat(shortage.blocks())
                    .as("blocks, seed %d", seed)
                    .extracting(Block::start)
                    .containsExactly(Arrays.stream(holders)
                            .filter(address -> address >= 0)
                            .distinct()
                            .boxed()
                            .toArray(Long[]::new));
            boolean enough = bank.totalFree() >= (long) units * UNIT;
            fragmented += enough ? 1 : 0;
            assertThat(shortage.reason()).as("seed %d", seed).isEqualTo(enough ? Reason.FRAGMENTED : Reason.FULL);
            OptionalInt cheapest = cheapestRoom(units);
            Optional<Room> room = shortage.room();
            assertThat(room.isPresent()).as("a room, seed %d", seed).isEqualTo(cheapest.isPresent());
            room.ifPresent(found -> assertThat(found.bytes())
                    .as("bytes to free, seed %d", seed)
                    .isEqualTo((long) cheapest.getAsInt() * UNIT));
        }

        /** Returns the fewest units of user buffers whose frees would make room, by trying every place. */
        private OptionalInt cheapestRoom(int units) {
            OptionalInt cheapest = OptionalInt.empty();
            for (int first = 0; first + units <= UNITS; first++) {
                long[] inTheWay = Arrays.stream(holders, first, first + units)
                        .filter(address -> address >= 0)
                        .distinct()
                        .toArray();
                if (Arrays.stream(inTheWay).allMatch(buffers::containsKey)) {
                    int cost = (int) Arrays.stream(holders)
                            .filter(held -> Arrays.stream(inTheWay).anyMatch(address -> address == held))
                            .count();
                    cheapest = OptionalInt.of(Math.min(cost, cheapest.orElse(Integer.MAX_VALUE)));
                }
            }
            return cheapest;
        }
    }
}
