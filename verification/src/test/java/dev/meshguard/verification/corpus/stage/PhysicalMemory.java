package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * Records every buffer from the reports of a runtime that reports everything correctly.
 *
 * <p>A program runs twice. In this run the runtime does the same to the memory and misreports nothing. The reports therefore
 * equal what the memory did: one report for each allocation, one for each free. A second source confirms them: whenever a mesh
 * begins to close, its allocators must list exactly the live buffers ({@link #contradictions()}). A device's own allocator ends
 * with the device, and is read at the close of the last mesh over it.
 *
 * <p>It shares no code with the product: it keeps neither counts nor generations, and has no verdict.
 */
public final class PhysicalMemory implements AllocationListener {

    private final Clock clock;
    private final List<Life> lives = new ArrayList<>();
    private final Set<Owner> cachedOwners = new HashSet<>();
    private final List<String> contradictions = new ArrayList<>();
    private final Map<Integer, List<Integer>> open = new HashMap<>();
    private List<List<Integer>> openMeshes = List.of();
    private int firstCloseStep = Life.NEVER;
    private int lastCloseStep = -1;
    /** When the last close of a mesh began. */
    private int closing;

    PhysicalMemory(Clock clock) {
        this.clock = clock;
    }

    /** Returns every buffer there was, oldest first. */
    public List<Life> lives() {
        return lives;
    }

    /** Returns where the allocators of a mesh held something else than was heard; empty unless the truth itself is in doubt. */
    public List<String> contradictions() {
        return contradictions;
    }

    /** Returns the step in which the first mesh was closed. */
    public int firstCloseStep() {
        return firstCloseStep;
    }

    /** Returns the step in which a mesh was last closed, and its allocators read, or -1. */
    public int lastCloseStep() {
        return lastCloseStep;
    }

    /** Returns whether the check found it given back, in time or as soon as its handle was. */
    public boolean wasFreed(Life life, boolean closesAreKnown) {
        return !(closesAreKnown && life.endedAfterItsClose())
                && (life.wasFreedInTime(clock.checkedAt()) || (life.hasEnded() && !life.endedAfter(clock.checkedAt())));
    }

    /** Returns whether its user gave it back when the close of its allocator had begun, where that is known, or after the check. */
    public boolean wasFreedLate(Life life, boolean closesAreKnown) {
        return !life.wasCollected()
                && (life.endedAfter(clock.checkedAt()) || (closesAreKnown && life.endedAfterItsClose()));
    }

    /** Returns whether its program had ended when the check was made, or it was gone before. */
    public boolean wasItsProgramOver(Life life) {
        return wasFreed(life, false) || life.hasOwnerEndedBy(clock.checkedAt());
    }

    /**
     * Returns whether its mesh was open when the check was made, and its process could still close it.
     *
     * <p>A circular buffer says not on which mesh its program runs; it is told by any that lies over its device.
     */
    public boolean wasItsMeshOpen(Life life) {
        return life.isCircularBuffer()
                ? !life.hasDeadProcess() && openMeshes.stream().anyMatch(devices -> devices.contains(life.device()))
                : life.hasOpenMeshAt(clock.checkedAt());
    }

    void check() {
        openMeshes = List.copyOf(open.values());
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        Life life = new Life(new Life.Birth(
                device, type, address, size, request.details(), ownership, clock.step(), clock.nextMoment()));
        if (request.details().owner().filter(cachedOwners::contains).isPresent()) {
            life.ownerIsCached();
        }
        lives.add(life);
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        clock.nextMoment();
        aliveAt(device, type, address)
                .filter(life -> life.isHeldBy(release.details(), ownership))
                .reduce((first, last) -> last)
                .ifPresent(life -> end(life, release));
    }

    /** What is released when its mesh is closed is given back as soon as anybody can: the wipe was before. */
    @Override
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        clock.nextMoment();
        if (reason == IgnoredFreeReason.DEVICE_CLOSED) {
            aliveAt(device, type, address)
                    .filter(life -> life.isOf(release.details()))
                    .findFirst()
                    .ifPresent(life -> end(life, release));
        }
    }

    private void end(Life life, MemoryRequest release) {
        life.end(clock.moment(), clock.step());
        if (release.details().handleCollected()) {
            life.isCollected();
        }
    }

    @Override
    public Scope phase(Phase phase) {
        return () -> {};
    }

    @Override
    public void reported(LongFunction<HistoryEvent> event) {
        HistoryEvent read = event.apply(0);
        if (read instanceof HistoryEvent.OwnerCached cached) {
            isCached(cached.owner());
        } else if (read instanceof HistoryEvent.OwnerEnded ended) {
            ends(ended.owner());
        } else if (read instanceof HistoryEvent.DeviceClosed closed) {
            closes(closed.device());
        } else if (read instanceof HistoryEvent.Witnessed witnessed) {
            compare(witnessed.snapshot());
        } else if (read instanceof HistoryEvent.ProcessDied died) {
            dies(died.processId());
        }
    }

    private void isCached(Owner owner) {
        cachedOwners.add(owner);
        alive().filter(life -> life.details().owner().filter(owner::equals).isPresent())
                .forEach(Life::ownerIsCached);
    }

    private void ends(Owner owner) {
        clock.nextMoment();
        cachedOwners.remove(owner);
        lives.stream()
                .filter(life -> life.details().owner().filter(owner::equals).isPresent())
                .forEach(life -> life.ownerEnds(clock.moment(), clock.step()));
    }

    @Override
    public void meshOpened(MeshDescription mesh) {
        open.put(mesh.id(), mesh.devices());
    }

    @Override
    public void meshClosing(int mesh) {
        lastCloseStep = clock.step();
        clock.nextMoment();
        closing = clock.moment();
        of(mesh).forEach(life -> life.meshCloses(clock.moment(), clock.step()));
    }

    @Override
    public void meshClosed(int mesh) {
        firstCloseStep = Math.min(firstCloseStep, clock.step());
        clock.nextMoment();
        of(mesh).forEach(life -> life.meshIsClosed(clock.moment()));
        open.remove(mesh);
    }

    private void closes(int device) {
        clock.nextMoment();
        lives.stream().filter(life -> life.device() == device).forEach(life -> life.deviceCloses(closing));
        alive().filter(life -> life.device() == device).forEach(life -> life.deviceIsClosed(clock.moment()));
    }

    private void compare(WitnessSnapshot reading) {
        if (reading.moment() != WitnessSnapshot.Moment.CLOSE_BEGUN) {
            return;
        }
        List<Life> lent = of(reading.mesh())
                .filter(life -> life.isAllocatedAt(clock.moment()))
                .filter(life -> life.details().allocator().equals(reading.allocator()))
                .toList();
        for (Life life : lent) {
            if (reading.stateOf(life.device(), life.type(), life.address()) != AddressState.ALLOCATED) {
                contradictions.add("the allocator does not lend " + life);
            }
        }
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                for (long address : reading.allocatedAddresses(device, type)) {
                    if (lives.stream()
                            .noneMatch(life -> life.isThereAt(clock.moment())
                                    && life.details().allocator().equals(reading.allocator())
                                    && life.isAt(device, type, address))) {
                        contradictions.add("nobody reported what the allocator lends on device " + device + ", " + type
                                + " " + address);
                    }
                }
            }
        }
    }

    private void dies(long processId) {
        clock.nextMoment();
        lives.stream()
                .filter(life -> life.details().processId().orElse(-1) == processId)
                .forEach(life -> life.processDies(clock.moment()));
    }

    private Stream<Life> alive() {
        return lives.stream().filter(Life::isAlive);
    }

    private Stream<Life> aliveAt(int device, BufferType type, long address) {
        return alive().filter(life -> life.isAt(device, type, address));
    }

    private Stream<Life> of(int mesh) {
        return lives.stream()
                .filter(life -> life.details().kind() == BufferKind.BUFFER
                        && (life.isOfADevice()
                                ? isTheLastOver(life.device(), mesh)
                                : life.details().mesh().equals(OptionalInt.of(mesh))));
    }

    /** A device is closed with the last mesh over it, and its own allocator with it. */
    private boolean isTheLastOver(int device, int mesh) {
        return open.getOrDefault(mesh, List.of()).contains(device)
                && open.entrySet().stream()
                        .noneMatch(other ->
                                other.getKey() != mesh && other.getValue().contains(device));
    }
}
