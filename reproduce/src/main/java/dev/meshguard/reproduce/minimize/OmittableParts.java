package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The parts of a history that a search can omit: generations, reports, devices, meshes, or single other events. */
interface OmittableParts {

    int size();

    /** Returns the events without some of the chunks. */
    MutableHistory without(BitSet leftOut);

    /** Returns the generations of buffers, each with all of its reports. */
    static OmittableParts generations(MutableHistory list) {
        return new MovableGenerations(list);
    }

    /** Returns the reports of buffers, each with its free: one of several reports of a buffer may be enough. */
    static OmittableParts reports(MutableHistory list) {
        List<BitSet> reports = new ArrayList<>();
        for (BufferGeneration life : list.history().generations()) {
            if (life.reports().size() > 1) {
                for (BufferGeneration.Report report : life.reports()) {
                    BitSet events = new BitSet();
                    events.set(list.indexOf(report.allocatedAt()));
                    report.freedAt().ifPresent(event -> events.set(list.indexOf(event)));
                    reports.add(events);
                }
            }
        }
        return ofEvents(list, reports);
    }

    /** Returns the devices that events name. */
    static OmittableParts devices(MutableHistory list) {
        Set<Integer> devices = new TreeSet<>(list.history().devices());
        list.history().meshes().forEach(mesh -> devices.addAll(mesh.devices()));
        List<Integer> all = new ArrayList<>(devices);
        return new OmittableParts() {
            @Override
            public int size() {
                return all.size();
            }

            @Override
            public MutableHistory without(BitSet leftOut) {
                Set<Integer> gone = new LinkedHashSet<>();
                leftOut.stream().forEach(index -> gone.add(all.get(index)));
                return list.of(list.events().stream()
                        .map(event -> HistoryEditor.without(gone, event))
                        .flatMap(Optional::stream)
                        .toList());
            }
        };
    }

    /** Returns the meshes, each with its opening, its close and its witness snapshots. */
    static OmittableParts meshes(MutableHistory list) {
        Map<Integer, BitSet> byMesh = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            HistoryEvent event = list.events().get(i);
            int mesh = meshOf(event);
            if (mesh >= 0) {
                byMesh.computeIfAbsent(mesh, unused -> new BitSet()).set(i);
            }
        }
        return ofEvents(list, byMesh.values());
    }

    /** Returns every event that is about no buffer. */
    static OmittableParts others(MutableHistory list) {
        List<BitSet> single = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            HistoryEvent event = list.events().get(i);
            boolean isOfBuffer = event instanceof HistoryEvent.Allocated
                    || event instanceof HistoryEvent.Freed
                    || event instanceof HistoryEvent.FreeIgnored;
            if (!isOfBuffer) {
                BitSet one = new BitSet();
                one.set(i);
                single.add(one);
            }
        }
        return ofEvents(list, single);
    }

    private static OmittableParts ofEvents(MutableHistory list, Collection<BitSet> pieces) {
        List<BitSet> all = List.copyOf(pieces);
        return new OmittableParts() {
            @Override
            public int size() {
                return all.size();
            }

            @Override
            public MutableHistory without(BitSet leftOut) {
                BitSet gone = new BitSet();
                leftOut.stream().forEach(index -> gone.or(all.get(index)));
                List<HistoryEvent> rest = new ArrayList<>(list.size());
                for (int i = 0; i < list.size(); i++) {
                    if (!gone.get(i)) {
                        rest.add(list.events().get(i));
                    }
                }
                return list.of(rest);
            }
        };
    }

    private static int meshOf(HistoryEvent event) {
        if (event instanceof HistoryEvent.MeshOpened e) {
            return e.mesh().id();
        } else if (event instanceof HistoryEvent.MeshClosing e) {
            return e.mesh();
        } else if (event instanceof HistoryEvent.MeshClosed e) {
            return e.mesh();
        } else if (event instanceof HistoryEvent.Witnessed e) {
            return e.snapshot().mesh();
        } else if (event instanceof HistoryEvent.CanaryPlanted e) {
            return e.mesh();
        } else if (event instanceof HistoryEvent.CanarySeen e) {
            return e.mesh();
        } else if (event instanceof HistoryEvent.CanaryFreed e) {
            return e.mesh();
        }
        return -1;
    }
}
