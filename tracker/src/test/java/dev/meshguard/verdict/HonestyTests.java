package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A simulated device that knows the truth, and a source that omits some of its reports. Whatever is omitted, missing
 * memory is never reported as freed.
 */
class HonestyTests {

    /** The data that a source may omit. */
    private enum Silence {
        /** Reports everything. */
        NOTHING,
        /** Never reads the allocators. */
        WITNESS,
        /** Does not report who owns the memory of a free. */
        OWNERSHIP_OF_FREES,
        /** Does not report who owns any memory. */
        OWNERSHIP,
        /** Does not distinguish requests. */
        REQUESTS,
        /** Does not report that devices are opened again. */
        DEVICES
    }

    @ParameterizedTest
    @EnumSource(Silence.class)
    void neverCallsMissingMemoryFreedWhicheverFactIsOmitted(Silence silence) {
        Seed seed = Seed.next();
        Random random = seed.random();
        for (int run = 0; run < 100; run++) {
            examine(new Source(random, EnumSet.of(silence)), "run " + run + ", " + seed);
        }
    }

    @Test
    void neverCallsMissingMemoryFreedWhateverFactsAreOmitted() {
        Seed seed = Seed.next();
        Random random = seed.random();
        for (int run = 0; run < 600; run++) {
            Set<Silence> silences = EnumSet.noneOf(Silence.class);
            for (Silence silence : Silence.values()) {
                if (random.nextBoolean()) {
                    silences.add(silence);
                }
            }
            examine(new Source(random, silences), "run " + run + ", " + seed);
        }
    }

    private static void examine(Source source, String run) {
        source.live();
        LeakVerdict verdict = LeakCheck.create().examine(source.tracker.history());

        assertThat(verdict.inconclusiveReasons())
                .extracting(InconclusiveReason::kind)
                .describedAs(run)
                .isSubsetOf(InconclusiveReason.Kind.REPORTS_FIT_BOTH);
        for (Survivor survivor : verdict.survivors()) {
            boolean missing = source.isMissing(survivor.buffer());
            if (missing) {
                assertThat(survivor.status())
                        .describedAs(
                                "%s %s, silent about %s, %s%n%s",
                                survivor, survivor.diagnosis(), source.silences, run, description(source))
                        .isIn(SurvivorStatus.LEAKED, SurvivorStatus.UNDECIDED);
                if (survivor.status() == SurvivorStatus.UNDECIDED) {
                    assertThat(source.silences)
                            .describedAs("%s, %s", survivor, run)
                            .contains(Silence.WITNESS);
                }
            } else if (source.silences.equals(EnumSet.of(Silence.NOTHING)) && !source.releasedLate) {
                assertThat(survivor.status())
                        .describedAs("%s %s, %s%n%s", survivor, survivor.diagnosis(), run, description(source))
                        .isEqualTo(SurvivorStatus.MISREPORTED);
            }
        }
    }

    private static String description(Source source) {
        StringBuilder text = new StringBuilder();
        source.tracker.history().events().forEach(event -> text.append(event).append('\n'));
        return text.toString();
    }

    private record Place(int session, int device, long address) {}

    /** Memory that was really allocated, on one device or on all together. */
    private static final class Memory {
        private final MemoryRequest request;
        private final long address;
        private final List<Integer> devices;
        private final Ownership ownership;
        private final int session;

        private Memory(MemoryRequest request, long address, List<Integer> devices, Ownership ownership, int session) {
            this.request = request;
            this.address = address;
            this.devices = devices;
            this.ownership = ownership;
            this.session = session;
        }
    }

    /** A source that opens some meshes, one after another, and loses some reports of frees. */
    private static final class Source {
        private static final int DEVICES = 4;

        private final Random random;
        private final Set<Silence> silences;
        private final AllocationTracker tracker;
        private final List<Memory> taken = new ArrayList<>();
        private final List<Memory> left = new ArrayList<>();
        private final Set<Place> missing = new HashSet<>();
        private int session;

        /** A late release may belong to either of two generations at one address, so both stay red. */
        private boolean releasedLate;

        private Source(Random random, Set<Silence> silences) {
            this.random = random;
            this.silences = silences;
            this.tracker = AllocationTracker.builder()
                    .originCapture(silences.contains(Silence.REQUESTS) ? OriginCapture.NONE : OriginCapture.ALLOCATIONS)
                    .build();
        }

        private void live() {
            int meshes = 1 + random.nextInt(3);
            for (session = 1; session <= meshes; session++) {
                mesh();
            }
        }

        private void mesh() {
            tracker.meshOpened(MeshDescription.of(session, "mesh " + session, List.of(0, 1, 2, 3)));
            for (int device = 0; device < DEVICES && !silences.contains(Silence.DEVICES); device++) {
                tracker.deviceOpened(device);
            }
            int steps = 1 + random.nextInt(12);
            for (int step = 0; step < steps; step++) {
                switch (random.nextInt(7)) {
                    case 0 -> takeOnOneDevice();
                    case 1, 2 -> takeInLockStep();
                    case 3, 4 -> free();
                    case 5 -> view();
                    default -> releaseLate();
                }
            }
            close();
        }

        private void close() {
            if (!silences.contains(Silence.WITNESS)) {
                tracker.witnessed(reading(Moment.CLOSE_BEGUN));
            }
            for (Memory memory : taken) {
                memory.devices.forEach(device -> missing.add(new Place(session, device, memory.address)));
            }
            left.addAll(taken);
            taken.clear();
            if (!silences.contains(Silence.WITNESS)) {
                tracker.witnessed(reading(Moment.AFTER_WIPE));
            }
            tracker.meshClosed(session);
            for (int device = 0; device < DEVICES && !silences.contains(Silence.DEVICES); device++) {
                tracker.deviceClosed(device);
            }
        }

        private WitnessSnapshot reading(Moment moment) {
            WitnessSnapshot reading = WitnessSnapshot.of(session, moment);
            for (int device = 0; device < DEVICES; device++) {
                reading = reading.region(device, DRAM);
                for (Memory memory : taken) {
                    if (memory.devices.contains(device)) {
                        reading = reading.region(device, DRAM, memory.address);
                    }
                }
            }
            return reading;
        }

        private void takeOnOneDevice() {
            int device = random.nextInt(DEVICES);
            take(List.of(device), Ownership.OWNING);
        }

        /** The devices' buffers own nothing; some runtimes report the owning object under device 0. */
        private void takeInLockStep() {
            Memory memory = take(List.of(0, 1, 2, 3), Ownership.NON_OWNING);
            if (memory != null && random.nextInt(4) == 0) {
                report(memory.request, 0, memory.address, Ownership.OWNING);
            }
        }

        private Memory take(List<Integer> devices, Ownership ownership) {
            long address = 0x1000L * (1 + random.nextInt(3));
            boolean free = taken.stream()
                    .noneMatch(other ->
                            other.address == address && other.devices.stream().anyMatch(devices::contains));
            if (!free) {
                return null;
            }
            Memory memory = new Memory(tracker.request(AllocationDetails.user()), address, devices, ownership, session);
            taken.add(memory);
            devices.forEach(device -> report(memory.request, device, address, ownership));
            return memory;
        }

        private void view() {
            if (!taken.isEmpty()) {
                Memory memory = taken.get(random.nextInt(taken.size()));
                MemoryRequest request =
                        random.nextBoolean() ? memory.request : tracker.request(AllocationDetails.user());
                int device = memory.devices.get(random.nextInt(memory.devices.size()));
                report(request, device, memory.address, Ownership.NON_OWNING);
                if (random.nextInt(3) > 0) {
                    reportFree(device, memory.address, Ownership.NON_OWNING);
                }
            }
        }

        private void free() {
            if (!taken.isEmpty()) {
                Memory memory = taken.remove(random.nextInt(taken.size()));
                for (int device : memory.devices) {
                    if (random.nextInt(4) > 0) {
                        reportFree(device, memory.address, memory.ownership);
                    }
                }
            }
        }

        /** Releases a handle of a closed mesh; by the runtime's contract its memory is then no longer missing. */
        private void releaseLate() {
            if (!left.isEmpty() && !silences.contains(Silence.DEVICES)) {
                Memory memory = left.remove(random.nextInt(left.size()));
                releasedLate = true;
                MemoryRequest release = tracker.release(AllocationDetails.user());
                for (int device : memory.devices) {
                    tracker.freeIgnored(release, device, DRAM, memory.address, IgnoredFreeReason.DEVICE_CLOSED);
                    missing.remove(new Place(memory.session, device, memory.address));
                }
            }
        }

        private void report(MemoryRequest request, int device, long address, Ownership ownership) {
            Ownership said = silences.contains(Silence.OWNERSHIP) ? Ownership.UNKNOWN : ownership;
            tracker.allocated(request, device, DRAM, address, 64, said);
        }

        private void reportFree(int device, long address, Ownership ownership) {
            boolean silent = silences.contains(Silence.OWNERSHIP) || silences.contains(Silence.OWNERSHIP_OF_FREES);
            Ownership said = silent ? Ownership.UNKNOWN : ownership;
            tracker.freed(tracker.release(AllocationDetails.user()), device, DRAM, address, said);
        }

        /** If open periods of a device are not distinguished, a survivor represents the last buffer at its address. */
        private boolean isMissing(BufferGeneration buffer) {
            int last = silences.contains(Silence.DEVICES) ? session - 1 : buffer.openPeriod();
            return missing.contains(new Place(last, buffer.device(), buffer.address()));
        }
    }
}
