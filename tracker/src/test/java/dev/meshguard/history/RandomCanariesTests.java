package dev.meshguard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.tracker.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Recording canaries together gives the same result as recording them one by one. */
class RandomCanariesTests {

    private static final int HISTORIES = 2_000;
    private static final int MESHES = 2;
    private static final int DEVICES = 3;

    /** The missing canaries of one mesh, recorded one by one. */
    private record Waiting(long planted, int mesh, TreeSet<Integer> unseen, TreeSet<Integer> unfreed) {}

    private final Seed seed = Seed.next();
    private final Random random = seed.random();

    @Test
    void whatIsMissingIsWhatNotingOneByOneSays() {
        for (int i = 0; i < HISTORIES; i++) {
            List<HistoryEvent> events = events();

            List<MissingCanary> missing =
                    AllocationHistory.restored(events, List.of(), true).missingCanaries();

            assertThat(missing).describedAs("%s: %s", seed, events).isEqualTo(notedOneByOne(events));
        }
    }

    private List<HistoryEvent> events() {
        List<HistoryEvent> events = new ArrayList<>();
        for (int number = 1; number <= 1 + random.nextInt(10); number++) {
            int mesh = random.nextInt(MESHES);
            List<Integer> devices = devices();
            events.add(
                    switch (random.nextInt(3)) {
                        case 0 -> new HistoryEvent.CanaryPlanted(number, mesh, devices);
                        case 1 -> new HistoryEvent.CanarySeen(number, mesh, devices);
                        default -> new HistoryEvent.CanaryFreed(number, mesh, devices);
                    });
        }
        return events;
    }

    /** Mostly those of the whole mesh in order; else random ones, sometimes one of them twice. */
    private List<Integer> devices() {
        return random.nextInt(3) > 0
                ? IntStream.range(0, DEVICES).boxed().toList()
                : random.ints(1 + random.nextInt(DEVICES), 0, DEVICES).boxed().toList();
    }

    private static List<MissingCanary> notedOneByOne(List<HistoryEvent> events) {
        List<Waiting> flocks = new ArrayList<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.CanaryPlanted planted) {
                flocks.add(
                        0,
                        new Waiting(
                                planted.number(), planted.mesh(), new TreeSet<>(planted.devices()), new TreeSet<>()));
            } else if (event instanceof HistoryEvent.CanarySeen seen) {
                seen.devices().forEach(device -> latest(flocks, seen.mesh(), device, false));
            } else if (event instanceof HistoryEvent.CanaryFreed freed) {
                freed.devices().forEach(device -> latest(flocks, freed.mesh(), device, true));
            }
        }
        List<MissingCanary> missing = new ArrayList<>();
        for (Waiting flock : flocks) {
            if (!flock.unseen().isEmpty() || !flock.unfreed().isEmpty()) {
                missing.add(
                        0,
                        new MissingCanary(
                                flock.planted(),
                                flock.mesh(),
                                List.copyOf(flock.unseen()),
                                List.copyOf(flock.unfreed())));
            }
        }
        return missing;
    }

    /** Records a canary with the latest announcement that waits for it. */
    private static void latest(List<Waiting> latestFirst, int mesh, int device, boolean freed) {
        for (Waiting flock : latestFirst) {
            if (flock.mesh() == mesh && (freed ? flock.unfreed() : flock.unseen()).remove(device)) {
                if (!freed) {
                    flock.unfreed().add(device);
                }
                return;
            }
        }
    }
}
