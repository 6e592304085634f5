package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The generations of buffers as chunks, and each free that ended none of them. */
final class MovableGenerations implements OmittableParts {

    private static final int NONE = -1;

    /** The address of a buffer. */
    record AddressKey(int device, BufferType type, long address) {}

    private final MutableHistory list;
    private final List<BufferGeneration> generations;
    /** The chunk of each event. */
    private final int[] pieceOf;

    private final int size;
    private @Nullable Map<AddressKey, List<Integer>> byAddress;
    private @Nullable IdentityHashMap<MemoryRequest, List<Integer>> byRequest;

    MovableGenerations(MutableHistory list) {
        this.list = list;
        this.generations = list.history().generations();
        this.pieceOf = new int[list.size()];
        Arrays.fill(pieceOf, NONE);
        for (int life = 0; life < generations.size(); life++) {
            for (BufferGeneration.Report report : generations.get(life).reports()) {
                pieceOf[list.indexOf(report.allocatedAt())] = life;
                if (report.freedAt().isPresent()) {
                    pieceOf[list.indexOf(report.freedAt().getAsLong())] = life;
                }
            }
        }
        int next = generations.size();
        for (int i = 0; i < pieceOf.length; i++) {
            HistoryEvent event = list.events().get(i);
            boolean isStray = pieceOf[i] == NONE
                    && (event instanceof HistoryEvent.Freed || event instanceof HistoryEvent.FreeIgnored);
            if (isStray) {
                pieceOf[i] = next;
                next++;
            }
        }
        this.size = next;
    }

    @Override
    public int size() {
        return size;
    }

    /** Returns the chunk of a buffer's event. */
    int pieceOf(long event) {
        return pieceOf[list.indexOf(event)];
    }

    /** Returns the generations in the order of their chunks. */
    List<BufferGeneration> generations() {
        return generations;
    }

    @Override
    public MutableHistory without(BitSet leftOut) {
        List<HistoryEvent> rest = new ArrayList<>();
        for (int i = 0; i < pieceOf.length; i++) {
            HistoryEvent event = list.events().get(i);
            int piece = pieceOf[i];
            if (piece != NONE) {
                if (!leftOut.get(piece)) {
                    rest.add(event);
                }
            } else if (event instanceof HistoryEvent.Witnessed witnessed) {
                rest.add(HistoryEditor.keeping(
                        witnessed,
                        Set.of(),
                        (device, type, address) -> stays(new AddressKey(device, type, address), witnessed, leftOut)));
            } else if (HistoryEditor.requestOf(event)
                    .filter(request -> !isOfAny(request, leftOut))
                    .isEmpty()) {
                rest.add(event);
            }
        }
        return list.of(rest);
    }

    /** An address that no report explains stays in a snapshot, because the finding may be about it. */
    private boolean stays(AddressKey place, HistoryEvent.Witnessed reading, BitSet leftOut) {
        List<Integer> there = byAddress().getOrDefault(place, List.of());
        boolean isExplained = false;
        for (int life : there) {
            if (mayExplain(generations.get(life), reading)) {
                if (!leftOut.get(life)) {
                    return true;
                }
                isExplained = true;
            }
        }
        return !isExplained;
    }

    private static boolean mayExplain(BufferGeneration life, HistoryEvent.Witnessed reading) {
        boolean isEarlier = life.allocatedAt() < reading.number();
        boolean isLater = life.freedAt().isPresent() && life.freedAt().getAsLong() < reading.number();
        boolean isOfIts = life.mesh().isEmpty()
                || life.mesh().getAsInt() == reading.snapshot().mesh()
                || life.reports().stream().anyMatch(report -> report.ownership() == Ownership.OWNING);
        return isEarlier
                && !isLater
                && isOfIts
                && AllocatorId.mayBeOne(life.allocator(), reading.snapshot().allocator());
    }

    private Map<AddressKey, List<Integer>> byAddress() {
        Map<AddressKey, List<Integer>> known = byAddress;
        if (known == null) {
            known = new HashMap<>();
            for (int life = 0; life < generations.size(); life++) {
                BufferGeneration one = generations.get(life);
                known.computeIfAbsent(
                                new AddressKey(one.device(), one.type(), one.address()), unused -> new ArrayList<>(1))
                        .add(life);
            }
            byAddress = known;
        }
        return known;
    }

    private boolean isOfAny(MemoryRequest request, BitSet leftOut) {
        IdentityHashMap<MemoryRequest, List<Integer>> known = byRequest;
        if (known == null) {
            known = new IdentityHashMap<>();
            for (int life = 0; life < generations.size(); life++) {
                for (BufferGeneration.Report report : generations.get(life).reports()) {
                    known.computeIfAbsent(report.request(), unused -> new ArrayList<>(1))
                            .add(life);
                }
            }
            byRequest = known;
        }
        return known.getOrDefault(request, List.of()).stream().anyMatch(life -> !leftOut.get(life));
    }
}
