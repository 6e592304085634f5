package dev.meshguard.tracker.history;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Which canaries were announced, and which of them came by. */
final class Canaries {

    private record Canary(int mesh, int device) {}

    private static final class Flock {

        private final HistoryEvent.CanaryPlanted planted;
        private final TreeSet<Integer> unseen;
        private final TreeSet<Integer> unfreed = new TreeSet<>();

        Flock(HistoryEvent.CanaryPlanted planted) {
            this.planted = planted;
            this.unseen = new TreeSet<>(planted.devices());
        }
    }

    private final List<Flock> flocks = new ArrayList<>();

    void planted(HistoryEvent.CanaryPlanted event) {
        flocks.add(new Flock(event));
    }

    /** A mesh number may come back: the latest flock of it that waits for the canary is meant. */
    void seen(HistoryEvent.CanarySeen event) {
        Canary canary = new Canary(event.mesh(), event.device());
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == canary.mesh() && flock.unseen.remove(canary.device())) {
                flock.unfreed.add(canary.device());
                return;
            }
        }
    }

    void freed(HistoryEvent.CanaryFreed event) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == event.mesh() && flock.unfreed.remove(event.device())) {
                return;
            }
        }
    }

    List<CanaryFate> missing() {
        return flocks.stream()
                .filter(flock -> !flock.unseen.isEmpty() || !flock.unfreed.isEmpty())
                .map(flock -> new CanaryFate(
                        flock.planted.number(),
                        flock.planted.mesh(),
                        List.copyOf(flock.unseen),
                        List.copyOf(flock.unfreed)))
                .toList();
    }
}
