package dev.meshguard.tracker.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which canaries were announced, and which of them came by. */
final class Canaries {

    /** The canaries of one mesh. Most arrive together, in the order in which they were announced: then nobody asks for each. */
    private static final class Flock {

        /** What is left to arrive where canaries did not arrive together. */
        private record Scattered(TreeSet<Integer> unseen, TreeSet<Integer> unfreed) {}

        private final HistoryEvent.CanaryPlanted planted;
        private boolean isSeen;
        private boolean isFreed;
        private @Nullable Scattered scattered;

        Flock(HistoryEvent.CanaryPlanted planted) {
            this.planted = planted;
        }

        /** Returns whether these are the whole flock, which waited to be seen, or else to be freed, and notes that it was. */
        boolean passesWhole(List<Integer> devices, boolean freed) {
            boolean waits = scattered == null && !isFreed && isSeen == freed;
            if (!waits || !planted.devices().equals(devices) || !isAscending(devices)) {
                return false;
            }
            isSeen = true;
            isFreed = freed;
            return true;
        }

        boolean sees(int device) {
            Scattered left = scatter();
            return left.unseen().remove(device) && left.unfreed().add(device);
        }

        boolean frees(int device) {
            return scatter().unfreed().remove(device);
        }

        Optional<MissingCanary> fate() {
            Scattered left = scattered == null ? remaining() : scattered;
            return left.unseen().isEmpty() && left.unfreed().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new MissingCanary(
                            planted.number(), planted.mesh(), List.copyOf(left.unseen()), List.copyOf(left.unfreed())));
        }

        boolean isComplete() {
            return scattered == null && isFreed;
        }

        private Scattered scatter() {
            Scattered left = scattered;
            if (left == null) {
                left = remaining();
                scattered = left;
            }
            return left;
        }

        private Scattered remaining() {
            List<Integer> unseen = isSeen ? List.of() : planted.devices();
            List<Integer> unfreed = isSeen && !isFreed ? planted.devices() : List.of();
            return new Scattered(new TreeSet<>(unseen), new TreeSet<>(unfreed));
        }

        /** A device that is named twice has two canaries to one that is waited for. */
        private static boolean isAscending(List<Integer> devices) {
            for (int i = 1; i < devices.size(); i++) {
                if (devices.get(i - 1) >= devices.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    private final List<Flock> flocks = new ArrayList<>();

    void planted(HistoryEvent.CanaryPlanted event) {
        flocks.add(new Flock(event));
    }

    void seen(HistoryEvent.CanarySeen event) {
        if (!passesWhole(event.mesh(), event.devices(), false)) {
            event.devices().forEach(device -> seen(event.mesh(), device));
        }
    }

    void freed(HistoryEvent.CanaryFreed event) {
        if (!passesWhole(event.mesh(), event.devices(), true)) {
            event.devices().forEach(device -> freed(event.mesh(), device));
        }
    }

    private boolean passesWhole(int mesh, List<Integer> devices, boolean freed) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            if (flocks.get(i).planted.mesh() == mesh) {
                return flocks.get(i).passesWhole(devices, freed);
            }
        }
        return false;
    }

    /** A mesh number may come back: the latest flock of it that waits for the canary is meant. */
    private void seen(int mesh, int device) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == mesh && flock.sees(device)) {
                return;
            }
        }
    }

    private void freed(int mesh, int device) {
        for (int i = flocks.size() - 1; i >= 0; i--) {
            Flock flock = flocks.get(i);
            if (flock.planted.mesh() == mesh && flock.frees(device)) {
                return;
            }
        }
    }

    List<MissingCanary> missing() {
        List<MissingCanary> missing = new ArrayList<>(0);
        for (Flock flock : flocks) {
            if (!flock.isComplete()) {
                flock.fate().ifPresent(missing::add);
            }
        }
        return missing;
    }
}
