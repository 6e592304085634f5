package dev.meshguard.tracker.history;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Which canaries were announced, and which of them came by. */
final class Canaries {

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

    void seen(HistoryEvent.CanarySeen event) {
        event.devices().forEach(device -> seen(event.mesh(), device));
    }

    void freed(HistoryEvent.CanaryFreed event) {
        event.devices().forEach(device -> freed(event.mesh(), device));
    }

    /** A mesh number may come back: the latest flock of it that waits for the canary is meant. */
    private void seen(int mesh, int device) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == mesh && flock.unseen.remove(device)) {
                flock.unfreed.add(device);
                return;
            }
        }
    }

    private void freed(int mesh, int device) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == mesh && flock.unfreed.remove(device)) {
                return;
            }
        }
    }

    List<CanaryFate> missing() {
        List<CanaryFate> missing = new ArrayList<>(0);
        for (Flock flock : flocks) {
            if (!flock.unseen.isEmpty() || !flock.unfreed.isEmpty()) {
                missing.add(new CanaryFate(
                        flock.planted.number(),
                        flock.planted.mesh(),
                        List.copyOf(flock.unseen),
                        List.copyOf(flock.unfreed)));
            }
        }
        return missing;
    }
}
