package dev.meshguard.verdict;

import static dev.meshguard.event.Ownership.OWNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Random programs of which the source does not report everything; the program knows what is really allocated at the end. */
class RandomMissingReportsTests {

    private static final List<BufferType> TYPES =
            List.of(BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL, BufferType.TRACE);
    /** The number by which this test calls the device's own allocator. */
    private static final int DEVICE = 2;

    private record Memory(int holder, BufferType type, long address) {

        private AllocationDetails details() {
            return holder == DEVICE
                    ? AllocationDetails.user().fromAllocator(AllocatorId.DEVICE)
                    : AllocationDetails.user().onMesh(holder).fromAllocator(AllocatorId.MESH);
        }
    }

    /** A mesh and perhaps a submesh over one device. */
    private static final class Program {
        private final Random random;
        private final AllocationTracker tracker = AllocationTracker.create();
        private final List<Memory> held = new ArrayList<>();
        private boolean reports = true;
        private boolean leaks;
        private boolean isReadInFull = true;

        private Program(Random random) {
            this.random = random;
            tracker.meshOpened(MeshDescription.of(0, "mesh", List.of(0)));
            tracker.deviceOpened(0);
        }

        private void allocate(Memory memory) {
            held.add(memory);
            if (reports) {
                tracker.allocated(tracker.request(memory.details()), 0, memory.type(), memory.address(), 64, OWNING);
            }
        }

        private void free(Memory memory) {
            held.remove(memory);
            if (reports) {
                reportFree(memory);
            }
        }

        private void reportFree(Memory memory) {
            tracker.freed(tracker.release(memory.details()), 0, memory.type(), memory.address(), OWNING);
        }

        private <T> T any(List<T> values) {
            return values.get(random.nextInt(values.size()));
        }

        private void close(int mesh, boolean isLast) {
            tracker.meshClosing(mesh);
            int kind = random.nextInt(4);
            List<BufferType> types = kind == 0 ? TYPES.subList(0, random.nextInt(TYPES.size())) : TYPES;
            isReadInFull &= kind == 1 || kind == 2;
            if (kind < 2) {
                read(WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN), types, List.of(mesh, DEVICE));
            } else {
                read(WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN).ofAllocator(AllocatorId.MESH), types, List.of(mesh));
            }
            if (kind == 2 && isLast) {
                read(
                        WitnessSnapshot.of(mesh, Moment.CLOSE_BEGUN).ofAllocator(AllocatorId.DEVICE),
                        types,
                        List.of(DEVICE));
            }
            isReadInFull &= !(kind == 3 && isLast);
            leaks |= held.removeIf(memory -> memory.holder() == mesh || (isLast && memory.holder() == DEVICE));
            if (isLast) {
                tracker.deviceClosed(0);
            }
            tracker.meshClosed(mesh);
        }

        private void read(WitnessSnapshot begun, List<BufferType> types, List<Integer> holders) {
            WitnessSnapshot snapshot = begun;
            for (BufferType type : types) {
                snapshot = snapshot.region(
                        0,
                        type,
                        held.stream()
                                .filter(memory -> memory.type() == type && holders.contains(memory.holder()))
                                .mapToLong(Memory::address)
                                .toArray());
            }
            tracker.witnessed(snapshot);
        }

        private LeakVerdict verdict() {
            tracker.checked();
            return LeakCheck.create().examine(tracker.history());
        }

        private String description(String run) {
            return run
                    + tracker.history().events().stream()
                            .map(event -> "\n" + event)
                            .collect(Collectors.joining());
        }
    }

    @Test
    void aGapHidesNoLeakAndBlamesNobodyWhereAllIsRead() {
        Seed seed = Seed.next();
        Random random = seed.random();
        int gaps = 0;
        for (int run = 0; run < 2_000; run++) {
            Program program = new Program(random);
            boolean hasSubmesh = random.nextBoolean();
            if (hasSubmesh) {
                program.tracker.meshOpened(
                        MeshDescription.of(1, "submesh", List.of(0)).withParent(0));
            }
            for (int step = random.nextInt(12); step > 0; step--) {
                int choice = random.nextInt(5);
                if (choice == 0 && program.reports) {
                    program.tracker.trackingStopped("off");
                    program.reports = false;
                    gaps++;
                } else if (choice == 0) {
                    program.tracker.trackingStarted();
                    program.reports = true;
                } else if (choice < 3 && !program.held.isEmpty()) {
                    program.free(program.any(program.held));
                } else {
                    int holder = program.any(hasSubmesh ? List.of(0, 1, DEVICE) : List.of(0, DEVICE));
                    program.allocate(new Memory(holder, program.any(TYPES), 0x1000L * (step + 1)));
                }
            }
            if (hasSubmesh) {
                program.close(1, false);
            }
            program.close(0, true);

            LeakVerdict verdict = program.verdict();
            if (program.leaks) {
                assertThat(verdict.isLeakFree())
                        .as(program.description("run " + run + ", " + seed))
                        .isFalse();
            } else if (program.isReadInFull) {
                assertThat(verdict.isLeakFree())
                        .as(program.description("run " + run + ", " + seed))
                        .isTrue();
            }
        }
        assertThat(gaps).isGreaterThan(500);
    }

    /** One address is allocated and freed several times; some frees are lost, and some arrive after the next allocation. */
    @Test
    void aReusedAddressIsNeitherCalledLeakedNorFreedWithoutProof() {
        Seed seed = Seed.next();
        Random random = seed.random();
        Memory memory = new Memory(0, BufferType.DRAM, 0x1000);
        for (int run = 0; run < 2_000; run++) {
            Program program = new Program(random);
            boolean isLate = false;
            for (int times = 1 + random.nextInt(4); times > 0; times--) {
                program.allocate(memory);
                if (isLate) {
                    program.reportFree(memory);
                }
                isLate = times > 1 && random.nextInt(4) == 0;
                program.reports = !isLate && (times == 1 || random.nextInt(3) > 0);
                if (times > 1 || random.nextBoolean()) {
                    program.free(memory);
                }
                program.reports = true;
            }
            program.close(0, true);

            List<SurvivorStatus> statuses =
                    program.verdict().survivors().stream().map(Survivor::status).toList();
            if (program.leaks) {
                assertThat(statuses)
                        .as(program.description("run " + run + ", " + seed))
                        .containsAnyOf(SurvivorStatus.LEAKED, SurvivorStatus.UNDECIDED);
            } else {
                assertThat(statuses)
                        .as(program.description("run " + run + ", " + seed))
                        .doesNotContain(SurvivorStatus.LEAKED);
            }
        }
    }
}
