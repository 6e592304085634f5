package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs on meshes over shared devices, each with an allocator of its own that is the truth. The verdict names
 * exactly the leaks, and reports every overlap.
 */
class RandomMeshesTests {

    private static final int DEVICES = 4;

    /** The kind of the second mesh over the devices, and the reports of its source. */
    private enum Second {
        /** A submesh. */
        SUBMESH,
        /** A root mesh over devices that are active. */
        ROOT,
        /** A root mesh whose source reports that it opened the devices, although they were open. */
        ROOT_THAT_OPENS_DEVICES
    }

    @ParameterizedTest
    @EnumSource(Second.class)
    void namesExactlyWhatIsLeftAndWhoLeftIt(Second second) {
        Seed seed = Seed.next();
        Random random = seed.random();
        for (int turn = 0; turn < 200; turn++) {
            int run = turn;
            Machine machine = new Machine(random, second, tracker(random));
            machine.live();
            AllocationHistory history = machine.tracker.history();
            LeakVerdict verdict = LeakCheck.create().examine(history);
            Supplier<String> where = () -> second + ", run " + run + ", " + seed + "\n" + description(history);

            assertThat(verdict.inconclusiveReasonTexts()).as(where).isEmpty();
            assertThat(history.live()).as(where).hasSize((int) verdict.sum().live());
            assertThat(found(verdict, SurvivorStatus.LEAKED))
                    .as(where)
                    .containsExactlyInAnyOrderElementsOf(machine.leaked);
            assertThat(found(verdict, SurvivorStatus.MISREPORTED))
                    .as(where)
                    .containsExactlyInAnyOrderElementsOf(machine.unreported);
            assertThat(overlaps(verdict)).as(where).isEqualTo(machine.overlaps());
            assertThat(verdict.unbalancingAnomalies())
                    .as(where)
                    .hasSize(machine.freesOfNothing)
                    .allMatch(anomaly -> anomaly.kind() == Anomaly.Kind.DOUBLE_FREE);
            for (Survivor survivor : verdict.survivors()) {
                int mesh = survivor.buffer().mesh().orElseThrow();
                assertThat(witnessOf(survivor, history))
                        .as(() -> survivor + ": " + where.get())
                        .contains(mesh);
            }
        }
    }

    /** A history with less data gives fewer causes, never a wrong one. */
    @Test
    void neverCallsMissingMemoryFreedWhereMeshesAreNotNamed() {
        Seed seed = Seed.next();
        Random random = seed.random();
        for (int turn = 0; turn < 400; turn++) {
            int run = turn;
            Machine machine = new Machine(random, Second.SUBMESH, tracker(random));
            machine.namesMeshes = random.nextBoolean();
            machine.freesTwice = false;
            machine.live();
            AllocationHistory history = machine.tracker.history();
            LeakVerdict verdict = LeakCheck.create().examine(history);
            Supplier<String> where = () -> "run " + run + ", " + seed + "\n" + description(history);

            assertThat(verdict.survivors().stream()
                            .filter(survivor -> survivor.status() == SurvivorStatus.LEAKED)
                            .map(survivor -> new Place(
                                    0,
                                    survivor.buffer().device(),
                                    survivor.buffer().address()))
                            .collect(Collectors.toSet()))
                    .as(where)
                    .containsAll(machine.leaked.stream()
                            .map(left -> new Place(0, left.device(), left.address()))
                            .collect(Collectors.toSet()));
        }
    }

    private static AllocationTracker tracker(Random random) {
        return AllocationTracker.builder()
                .originCapture(random.nextBoolean() ? OriginCapture.NONE : OriginCapture.ALLOCATIONS)
                .build();
    }

    private static List<Place> found(LeakVerdict verdict, SurvivorStatus standing) {
        return verdict.survivors(survivor -> survivor.status() == standing).stream()
                .map(Survivor::buffer)
                .map(buffer -> new Place(buffer.mesh().orElse(-1), buffer.device(), buffer.address()))
                .toList();
    }

    private static List<Overlap> overlaps(LeakVerdict verdict) {
        return verdict.overwrites().stream()
                .map(overwrite -> new Overlap(
                        overwrite
                                .writer()
                                .orElseThrow()
                                .request()
                                .details()
                                .mesh()
                                .orElseThrow(),
                        overwrite.buffer().mesh().orElseThrow(),
                        overwrite.buffer().device(),
                        ((HistoryEvent.Allocated) overwrite.event()).address()))
                .sorted()
                .toList();
    }

    /** The mesh whose allocator the evidence quotes. */
    private static Optional<Integer> witnessOf(Survivor survivor, AllocationHistory history) {
        return survivor.diagnosis().evidence().stream()
                .flatMap(evidence -> evidence.events().stream())
                .map(number -> history.events().get((int) (number - 1)))
                .filter(HistoryEvent.Witnessed.class::isInstance)
                .map(event -> ((HistoryEvent.Witnessed) event).snapshot().mesh())
                .findFirst();
    }

    private static String description(AllocationHistory history) {
        return history.events().stream().map(Object::toString).collect(Collectors.joining("\n"));
    }

    /** Memory that one mesh allocated on one device. */
    private record Place(int mesh, int device, long address) {}

    /** Memory that one mesh allocated over that of another. */
    private record Overlap(int mesh, int other, int device, long address) implements Comparable<Overlap> {

        @Override
        public int compareTo(Overlap that) {
            return toString().compareTo(that.toString());
        }
    }

    /** A buffer that a mesh allocated at one address of all its devices; the number distinguishes buffers. */
    private record Buffer(int number, long size, int copies) {}

    /** A mesh with its allocator: buffers by address, the lowest allocated first. */
    private static final class Mesh {
        private final int id;
        private final List<Integer> devices;
        private final TreeMap<Long, Buffer> allocated = new TreeMap<>();

        /** Addresses of buffers whose free was not reported: not reused, so that each report belongs to one buffer. */
        private final TreeMap<Long, Buffer> given = new TreeMap<>();

        private long lastFreed = -1;

        private Mesh(int id, List<Integer> devices) {
            this.id = id;
            this.devices = devices;
        }

        private long allocate(Buffer buffer) {
            TreeMap<Long, Buffer> taken = new TreeMap<>(allocated);
            taken.putAll(given);
            long address = 0x1000;
            for (var entry : taken.entrySet()) {
                if (address + buffer.size() <= entry.getKey()) {
                    break;
                }
                address = entry.getKey() + entry.getValue().size();
            }
            allocated.put(address, buffer);
            return address;
        }

        /** Returns the buffers that the ledger holds there, without those that were freed silently. */
        private List<Buffer> met(long address, long size) {
            TreeMap<Long, Buffer> inTheBooks = new TreeMap<>(allocated);
            inTheBooks.putAll(given);
            var below = inTheBooks.floorEntry(address);
            boolean reaches = below != null && below.getKey() + below.getValue().size() > address;
            return inTheBooks.subMap(reaches ? below.getKey() : address, true, address + size, false).keySet().stream()
                    .flatMap(start -> Optional.ofNullable(allocated.get(start)).stream())
                    .toList();
        }
    }

    /** Devices with meshes over them, and a source that reports what they do. */
    private static final class Machine {
        private final Random random;
        private final Second second;
        private final AllocationTracker tracker;
        private final List<Mesh> open = new ArrayList<>();
        private final Set<Place> leaked = new HashSet<>();
        private final Set<Place> unreported = new HashSet<>();
        private final Map<Buffer, List<Overlap>> overlaps = new HashMap<>();
        private boolean namesMeshes = true;
        private boolean freesTwice = true;
        private int freesOfNothing;
        private int nextMesh;
        private int nextBuffer;

        private Machine(Random random, Second second, AllocationTracker tracker) {
            this.random = random;
            this.second = second;
            this.tracker = tracker;
        }

        private void live() {
            Mesh parent = open(List.of(0, 1, 2, 3), false);
            for (int device = 0; device < DEVICES; device++) {
                tracker.deviceOpened(device);
            }
            int steps = 5 + random.nextInt(60);
            for (int step = 0; step < steps; step++) {
                if (open.size() < 3 && random.nextInt(8) == 0) {
                    openSecond(parent);
                }
                if (!open.isEmpty()) {
                    step(open.get(random.nextInt(open.size())));
                }
            }
            while (!open.isEmpty()) {
                close(open.get(random.nextInt(open.size())));
            }
        }

        /** It is unknown when a buffer with an unreported free was gone. */
        private List<Overlap> overlaps() {
            return overlaps.values().stream().flatMap(List::stream).sorted().toList();
        }

        private void openSecond(Mesh parent) {
            List<Integer> devices = List.of(List.of(0, 1), List.of(2, 3), List.of(1, 2, 3), List.of(0))
                    .get(random.nextInt(4));
            boolean inUse =
                    devices.stream().allMatch(device -> open.stream().anyMatch(mesh -> mesh.devices.contains(device)));
            if (!inUse || !open.contains(parent)) {
                return;
            }
            open(devices, second == Second.SUBMESH);
            if (second == Second.ROOT_THAT_OPENS_DEVICES) {
                devices.forEach(tracker::deviceOpened);
            }
        }

        private Mesh open(List<Integer> devices, boolean submesh) {
            Mesh mesh = new Mesh(nextMesh++, devices);
            MeshDescription description = MeshDescription.of(mesh.id, "mesh", devices);
            tracker.meshOpened(submesh ? description.withParent(0) : description);
            open.add(mesh);
            return mesh;
        }

        private void step(Mesh mesh) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> take(mesh);
                case 4, 5, 6 -> free(mesh);
                case 7 -> freeSilently(mesh);
                case 8 -> freeTwice(mesh);
                default -> {
                    if (random.nextInt(4) == 0) {
                        close(mesh);
                    }
                }
            }
        }

        private AllocationDetails details(Mesh mesh) {
            return namesMeshes ? AllocationDetails.user().onMesh(mesh.id) : AllocationDetails.user();
        }

        private void take(Mesh mesh) {
            Buffer buffer = new Buffer(nextBuffer++, 64L * (1 + random.nextInt(4)), 1 + random.nextInt(5) / 4);
            long address = mesh.allocate(buffer);
            MemoryRequest request = tracker.request(details(mesh));
            for (int device : mesh.devices) {
                for (Mesh other : open) {
                    if (other != mesh && other.devices.contains(device)) {
                        Overlap overlap = new Overlap(mesh.id, other.id, device, address);
                        other.met(address, buffer.size())
                                .forEach(met -> overlaps.computeIfAbsent(met, unused -> new ArrayList<>())
                                        .add(overlap));
                    }
                }
                for (int copy = 0; copy < buffer.copies(); copy++) {
                    tracker.allocated(request, device, DRAM, address, buffer.size(), ownership(copy));
                }
            }
        }

        private void free(Mesh mesh) {
            if (mesh.allocated.isEmpty()) {
                return;
            }
            long address = anyOf(mesh);
            Buffer buffer = mesh.allocated.remove(address);
            mesh.lastFreed = address;
            MemoryRequest release = tracker.release(details(mesh));
            for (int device : mesh.devices) {
                for (int copy = 0; copy < buffer.copies(); copy++) {
                    tracker.freed(release, device, DRAM, address, ownership(copy));
                }
            }
        }

        private void freeSilently(Mesh mesh) {
            if (namesMeshes && !mesh.allocated.isEmpty()) {
                long address = anyOf(mesh);
                Buffer buffer = mesh.allocated.remove(address);
                mesh.given.put(address, buffer);
                overlaps.remove(buffer);
            }
        }

        /** The mesh frees its last freed buffer again, although the address may have been reused. */
        private void freeTwice(Mesh mesh) {
            long address = mesh.lastFreed;
            if (freesTwice
                    && address >= 0
                    && !mesh.allocated.containsKey(address)
                    && !mesh.given.containsKey(address)) {
                MemoryRequest release = tracker.release(details(mesh));
                mesh.devices.forEach(device -> tracker.freed(release, device, DRAM, address, Ownership.NON_OWNING));
                freesOfNothing += mesh.devices.size();
            }
        }

        private void close(Mesh mesh) {
            tracker.meshClosing(mesh.id);
            tracker.witnessed(reading(mesh, Moment.CLOSE_BEGUN));
            mesh.devices.forEach(device -> {
                mesh.allocated.keySet().forEach(address -> leaked.add(new Place(mesh.id, device, address)));
                mesh.given.keySet().forEach(address -> unreported.add(new Place(mesh.id, device, address)));
            });
            mesh.allocated.clear();
            tracker.witnessed(reading(mesh, Moment.AFTER_WIPE));
            open.remove(mesh);
            for (int device : mesh.devices) {
                if (open.stream().noneMatch(other -> other.devices.contains(device))) {
                    tracker.deviceClosed(device);
                }
            }
            tracker.meshClosed(mesh.id);
        }

        private static WitnessSnapshot reading(Mesh mesh, Moment moment) {
            long[] taken =
                    mesh.allocated.keySet().stream().mapToLong(Long::longValue).toArray();
            return WitnessSnapshot.of(mesh.id, moment).region(List.copyOf(mesh.devices), DRAM, taken);
        }

        private long anyOf(Mesh mesh) {
            List<Long> addresses = List.copyOf(mesh.allocated.keySet());
            return addresses.get(random.nextInt(addresses.size()));
        }

        /** Some runtimes report the owning object besides the buffer of each device, which points to it. */
        private static Ownership ownership(int copy) {
            return copy == 0 ? Ownership.NON_OWNING : Ownership.OWNING;
        }
    }
}
