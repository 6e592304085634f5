package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The announced canaries, and those that arrived. */
final class Canaries {

    /**
     * The canaries of one mesh. Most arrive together, in the order of their announcement; they are then not tracked one
     * by one.
     */
    private static final class MeshCanaries {

        /** The canaries that are still missing, where they did not arrive together. */
        private record Scattered(TreeSet<Integer> unseen, TreeSet<Integer> unfreed) {}

        private final HistoryEvent.CanaryPlanted planted;
        private boolean isSeen;
        private boolean isFreed;
        private @Nullable Scattered scattered;

        MeshCanaries(HistoryEvent.CanaryPlanted planted) {
            this.planted = planted;
        }

        /**
         * Returns whether these are all canaries of the mesh, not yet seen or else not yet freed, and records their
         * arrival.
         */
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
            Scattered pending = scatter();
            return pending.unseen().remove(device) && pending.unfreed().add(device);
        }

        boolean frees(int device) {
            return scatter().unfreed().remove(device);
        }

        Optional<MissingCanary> fate() {
            Scattered pending = scattered == null ? remaining() : scattered;
            return pending.unseen().isEmpty() && pending.unfreed().isEmpty()
                    ? Optional.empty()
                    : Optional.of(new MissingCanary(
                            planted.number(),
                            planted.mesh(),
                            List.copyOf(pending.unseen()),
                            List.copyOf(pending.unfreed())));
        }

        boolean isComplete() {
            return scattered == null && isFreed;
        }

        private Scattered scatter() {
            Scattered pending = scattered;
            if (pending == null) {
                pending = remaining();
                scattered = pending;
            }
            return pending;
        }

        private Scattered remaining() {
            List<Integer> unseen = isSeen ? List.of() : planted.devices();
            List<Integer> unfreed = isSeen && !isFreed ? planted.devices() : List.of();
            return new Scattered(new TreeSet<>(unseen), new TreeSet<>(unfreed));
        }

        /** Returns false for a device that is named twice: it has two canaries, of which one is expected. */
        private static boolean isAscending(List<Integer> devices) {
            for (int i = 1; i < devices.size(); i++) {
                if (devices.get(i - 1) >= devices.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    private final List<MeshCanaries> meshes = new ArrayList<>();

    void planted(HistoryEvent.CanaryPlanted event) {
        meshes.add(new MeshCanaries(event));
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
        for (int i = meshes.size() - 1; i >= 0; i--) {
            if (meshes.get(i).planted.mesh() == mesh) {
                return meshes.get(i).passesWhole(devices, freed);
            }
        }
        return false;
    }

    /** Records a canary. A mesh number may be used again, so the latest mesh that waits for the canary counts. */
    private void seen(int mesh, int device) {
        for (int i = meshes.size() - 1; i >= 0; i--) {
            MeshCanaries canaries = meshes.get(i);
            if (canaries.planted.mesh() == mesh && canaries.sees(device)) {
                return;
            }
        }
    }

    private void freed(int mesh, int device) {
        for (int i = meshes.size() - 1; i >= 0; i--) {
            MeshCanaries canaries = meshes.get(i);
            if (canaries.planted.mesh() == mesh && canaries.frees(device)) {
                return;
            }
        }
    }

    List<MissingCanary> missing() {
        List<MissingCanary> missing = new ArrayList<>(0);
        for (MeshCanaries canaries : meshes) {
            if (!canaries.isComplete()) {
                canaries.fate().ifPresent(missing::add);
            }
        }
        return missing;
    }
}
