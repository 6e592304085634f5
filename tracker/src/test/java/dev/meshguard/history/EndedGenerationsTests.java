package dev.meshguard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A generation that is created on request equals one that remained an object; rerun a seed with {@code -Dmeshguard.seed=…}. */
class EndedGenerationsTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_120);
    private static final int HISTORIES = 1_000 + Integer.getInteger("meshguard.operations", 0) / 1_000;
    private static final LocalDate DAY = LocalDate.of(2026, 11, 20);
    private static final BufferType[] TYPES = {BufferType.DRAM, BufferType.L1, BufferType.L1_SMALL};
    private static final MeshDescription MESH = MeshDescription.of(0, "1x2 mesh", List.of(0, 1));
    private static final MeshDescription SUBMESH =
            MeshDescription.of(1, "1x1 submesh", List.of(1)).withParent(0);

    /** A check between any two events keeps every generation an object. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hasTheFactsOfAnObject(boolean withMeshes) {
        Random random = new Random(SEED);
        for (int run = 0; run < HISTORIES; run++) {
            List<HistoryEvent> events = randomEvents(random, withMeshes);
            List<HistoryEvent> checked = new ArrayList<>();
            for (HistoryEvent event : events) {
                checked.add(event);
                checked.add(new HistoryEvent.Checked(event.number() + 1, DAY));
            }

            AllocationHistory history = AllocationHistory.of(events, OptionalLong.empty(), false);
            AllocationHistory ofObjects = AllocationHistory.of(checked, OptionalLong.empty(), false);

            assertThat(facts(history)).as("seed %d, run %d", SEED, run).isEqualTo(facts(ofObjects));
        }
    }

    /** Whatever is asked first, each generation is one object. */
    @Test
    void isAlwaysTheSameObject() {
        Random random = new Random(SEED);
        for (int run = 0; run < HISTORIES; run++) {
            AllocationHistory history = AllocationHistory.of(randomEvents(random, true), OptionalLong.empty(), false);
            List<BufferGeneration> found = new ArrayList<>(history.live());
            history.anomalies().forEach(anomaly -> anomaly.generation().ifPresent(found::add));
            for (HistoryEvent event : history.events()) {
                if (event instanceof HistoryEvent.Allocated report) {
                    found.addAll(history.buffersOf(report.request()));
                    found.addAll(history.generationsAt(report.device(), report.type(), report.address()));
                }
            }
            found.addAll(
                    history.generationsWith(request -> request.details().owner().isPresent()));

            assertThat(history.generations()).as("seed %d, run %d", SEED, run).containsAll(found);
        }
    }

    @Test
    void numbersTheGenerationsOfAnAddressWithAStrayFree() {
        AllocationHistory history = AllocationHistory.of(
                List.of(
                        allocated(1, 4096, 1024),
                        freed(2, 4096),
                        allocated(3, 4096, 1024),
                        freed(4, 4096),
                        freed(5, 4096),
                        allocated(6, 4096, 2048),
                        freed(7, 4096)),
                OptionalLong.empty(),
                false);

        assertThat(history.anomalies()).singleElement().satisfies(anomaly -> {
            assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.DOUBLE_FREE);
            assertThat(anomaly.generation()).contains(history.generations().get(1));
        });
        assertThat(history.generations())
                .extracting(BufferGeneration::generation)
                .containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isNamedOnceForARequestThatReportedItTwice(boolean isFreed) {
        MemoryRequest request = request(AllocationDetails.user());
        List<HistoryEvent> events = new ArrayList<>();
        for (long address : List.of(4096L, 8192L, 4096L, 8192L)) {
            events.add(new HistoryEvent.Allocated(
                    events.size() + 1, request, 0, BufferType.DRAM, address, 64, Ownership.UNKNOWN));
        }
        for (long address : isFreed ? List.of(4096L, 8192L, 4096L, 8192L) : List.<Long>of()) {
            events.add(freed(events.size() + 1, address));
        }

        assertThat(AllocationHistory.of(events, OptionalLong.empty(), false).buffersOf(request))
                .extracting(BufferGeneration::address)
                .containsExactly(4096L, 8192L);
    }

    private static HistoryEvent allocated(long number, long address, long size) {
        return new HistoryEvent.Allocated(
                number, request(AllocationDetails.user()), 0, BufferType.DRAM, address, size, Ownership.UNKNOWN);
    }

    private static HistoryEvent freed(long number, long address) {
        return new HistoryEvent.Freed(
                number, request(AllocationDetails.user()), 0, BufferType.DRAM, address, Ownership.UNKNOWN);
    }

    private static MemoryRequest request(AllocationDetails details) {
        return MemoryRequest.restored(details, Optional.empty());
    }

    /** The events have odd numbers. */
    private static List<HistoryEvent> randomEvents(Random random, boolean withMeshes) {
        List<HistoryEvent> events = new ArrayList<>();
        int addresses = 1 + random.nextInt(8);
        int[] open = new int[addresses];
        MemoryRequest request = request(AllocationDetails.user());
        int steps = random.nextInt(80);
        for (int step = 0; step < steps; step++) {
            long number = events.size() * 2L + 1;
            int place = random.nextInt(addresses);
            int device = random.nextInt(8) == 0 ? HistoryEvent.NO_DEVICE : place % 2;
            BufferType type = TYPES[place % TYPES.length];
            request = random.nextInt(3) == 0 ? request : request(randomDetails(random, withMeshes));
            Ownership ownership = Ownership.values()[random.nextInt(3)];
            if (random.nextInt(12) == 0) {
                events.add(randomBreak(number, random, withMeshes));
            } else if (open[place] > 0 && random.nextInt(3) > 0) {
                events.add(new HistoryEvent.Freed(number, request, device, type, 4096L * place, ownership));
                open[place]--;
            } else if (random.nextInt(40) == 0) {
                events.add(new HistoryEvent.Freed(number, request, device, type, 4096L * place, ownership));
            } else {
                long size = random.nextInt(10) == 0 ? 2048 : 1024;
                events.add(new HistoryEvent.Allocated(number, request, device, type, 4096L * place, size, ownership));
                open[place]++;
            }
        }
        return events;
    }

    private static AllocationDetails randomDetails(Random random, boolean withMeshes) {
        AllocationDetails details = AllocationDetails.user();
        if (withMeshes && random.nextBoolean()) {
            details = details.onMesh(random.nextInt(2));
        }
        if (withMeshes && random.nextBoolean()) {
            details = details.fromAllocator(random.nextInt(3) == 0 ? AllocatorId.DEVICE : AllocatorId.MESH);
        }
        return random.nextInt(4) == 0 ? details.ownedBy(Owner.program("7")) : details;
    }

    private static HistoryEvent randomBreak(long number, Random random, boolean withMeshes) {
        int device = random.nextInt(2);
        return switch (random.nextInt(withMeshes ? 6 : 3)) {
            case 0 -> new HistoryEvent.DeviceOpened(number, device);
            case 1 -> new HistoryEvent.DeviceClosed(number, device);
            case 2 -> new HistoryEvent.PhaseBegan(number, Instant.EPOCH, new Phase("P" + random.nextInt(3)));
            case 3 -> new HistoryEvent.MeshOpened(number, Instant.EPOCH, random.nextBoolean() ? MESH : SUBMESH);
            case 4 -> new HistoryEvent.MeshClosing(number, Instant.EPOCH, random.nextInt(2));
            default -> new HistoryEvent.MeshClosed(number, Instant.EPOCH, random.nextInt(2));
        };
    }

    /** All facts of a history but its checks. */
    private static List<String> facts(AllocationHistory history) {
        List<String> facts = new ArrayList<>();
        facts.add("live " + history.live());
        facts.add("late " + history.freedAfterClose());
        history.anomalies().forEach(anomaly -> facts.add(anomaly.toString()));
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated report) {
                facts.add(history.buffersOf(report.request()).toString());
            }
        }
        facts.add("owned "
                + history.generationsWith(request -> request.details().owner().isPresent())
                        .toString());
        for (BufferGeneration generation : history.generations()) {
            facts.add(generation + " " + generation.allocatedAt() + " " + generation.allocatedIn() + " "
                    + generation.openPeriod() + " " + generation.freedAt() + " " + generation.mesh() + " "
                    + generation.allocator() + " " + history.closeOf(generation) + " " + generation.reports()
                    + generation.referenceCounts() + generation.holdIntervals(Long.MAX_VALUE));
        }
        history.timeline().curvesBy(memory -> memory).forEach((memory, curve) -> {
            for (int step = 0; step < curve.steps(); step++) {
                facts.add(memory + " " + curve.event(step) + " " + curve.bytes(step) + " "
                        + curve.between(0, curve.event(step) + 1).liveBuffers());
            }
        });
        return facts;
    }
}
