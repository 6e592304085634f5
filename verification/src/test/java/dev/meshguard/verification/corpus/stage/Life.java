package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import java.util.Locale;

/** One generation of a buffer on one device, from its allocation to its free, as the memory itself recorded it. */
public final class Life {

    static final int NEVER = Integer.MAX_VALUE;

    /**
     * The allocation.
     *
     * @param moment its place in the order of everything that was heard
     */
    record Birth(
            int device,
            BufferType type,
            long address,
            long size,
            AllocationDetails details,
            Ownership ownership,
            int step,
            int moment) {}

    private final Birth birth;
    private int endedAt = NEVER;
    private int endStep = NEVER;
    private int meshClosingAt = NEVER;
    private int meshClosedAt = NEVER;
    private int deviceClosedAt = NEVER;
    private int deviceClosingAt = NEVER;
    private boolean collected;
    private int closeStep = -1;
    private boolean cached;
    private int ownerEndedAt = NEVER;
    private int ownerEndedStep = NEVER;
    private int processDiedAt = NEVER;

    Life(Birth birth) {
        this.birth = birth;
    }

    public int device() {
        return birth.device();
    }

    public BufferType type() {
        return birth.type();
    }

    public long address() {
        return birth.address();
    }

    public long size() {
        return birth.size();
    }

    public AllocationDetails details() {
        return birth.details();
    }

    public int allocationStep() {
        return birth.step();
    }

    public int endStep() {
        return endStep;
    }

    int allocatedAt() {
        return birth.moment();
    }

    public boolean isCircularBuffer() {
        return details().kind() == BufferKind.CIRCULAR_BUFFER;
    }

    public boolean isOfTheRuntime() {
        return details().lifetime() != BufferLifetime.USER;
    }

    public boolean isExpected() {
        return details().lifetime() == BufferLifetime.PERSISTENT;
    }

    /** Returns whether a mesh or a device lent it, whose allocators are read when it is closed. */
    public boolean isOfAMesh() {
        return details().mesh().isPresent() || isOfADevice();
    }

    /** Returns whether a device's own allocator lent it. */
    boolean isOfADevice() {
        return details().allocator().filter(AllocatorId.DEVICE::equals).isPresent();
    }

    public boolean hasEnded() {
        return endedAt != NEVER;
    }

    /** Returns whether it ended, or its program did, after the close of its mesh. */
    public boolean endedAfterClose() {
        return hasEnded() && endedAt > meshClosedAt;
    }

    /** Returns whether it ended when its device was closed, which the close of another mesh does too: then no allocator took it back. */
    public boolean endedAfterItsDevice() {
        return hasEnded() && endedAt > deviceClosedAt;
    }

    /**
     * Returns whether its user gave it back only when the close of the allocator that held it had begun. A device's own allocator is
     * closed with the device; programs that were cached go with the mesh object, which nobody has to close before.
     */
    boolean endedAfterItsClose() {
        int closing = isOfADevice() ? deviceClosingAt : Math.min(meshClosingAt, deviceClosingAt);
        return hasEnded() && endedAt > closing && !isCircularBuffer() && !isOfTheRuntime() && !cached;
    }

    /** Returns whether nobody gave it back: its handle was collected. */
    boolean wasCollected() {
        return collected;
    }

    public boolean endedAfter(int moment) {
        return hasEnded() && endedAt > moment;
    }

    public boolean isCached() {
        return cached && ownerEndedAt == NEVER;
    }

    boolean hasOwnerEndedBy(int moment) {
        return ownerEndedAt < moment;
    }

    /** Returns whether its process ended while it was there. */
    public boolean outlivedItsProcess() {
        return processDiedAt != NEVER && processDiedAt < endedAt;
    }

    /** Returns whether its process is dead. */
    public boolean hasDeadProcess() {
        return processDiedAt != NEVER;
    }

    /** Returns whether its mesh was closed, and its allocators read. */
    public boolean hasClosedMesh() {
        return meshClosedAt != NEVER;
    }

    boolean hasOpenMeshAt(int moment) {
        return isOfAMesh() && meshClosedAt > moment && processDiedAt > moment;
    }

    /** Returns whether one was allocated by the allocator of a mesh and the other by that of a device. */
    public boolean isAllocatedByAnotherAllocatorThan(Life other) {
        return !isCircularBuffer()
                && !other.isCircularBuffer()
                && !details().allocator().equals(other.details().allocator());
    }

    /** Returns the step in which its mesh was closed, or -1. */
    public int closeStep() {
        return closeStep;
    }

    /** Returns whether it took memory when its mesh began to close, so that the reading shows it. */
    public boolean wasThereAtTheClose() {
        return meshClosingAt != NEVER && isThereAt(meshClosingAt);
    }

    /** Returns whether both are parts of what the allocator of a mesh lent on all its devices at once. */
    public boolean isAllocatedTogetherWith(Life other) {
        return birth.ownership() == Ownership.NON_OWNING
                && other.birth.ownership() == birth.ownership()
                && address() == other.address()
                && type() == other.type()
                && details().equals(other.details());
    }

    /** Returns whether it ended, or its program did, in a step or later. */
    public boolean isOverSince(int step) {
        return (hasEnded() ? endStep : ownerEndedStep) >= step;
    }

    boolean isAlive() {
        return endedAt == NEVER;
    }

    boolean isAt(int otherDevice, BufferType otherType, long otherAddress) {
        return device() == otherDevice && type() == otherType && address() == otherAddress;
    }

    /** Returns whether a release names its mesh, allocator and owner. */
    boolean isOf(AllocationDetails release) {
        return details().kind() == release.kind()
                && details().mesh().equals(release.mesh())
                && details().allocator().equals(release.allocator())
                && details().owner().equals(release.owner());
    }

    boolean isHeldBy(AllocationDetails release, Ownership by) {
        return isOf(release) && details().processId().equals(release.processId()) && birth.ownership() == by;
    }

    /** Returns whether the allocator of a mesh that is open, or of a device, lent it at a moment. */
    boolean isAllocatedAt(int moment) {
        return isThereAt(moment) && meshClosedAt > moment;
    }

    boolean isThereAt(int moment) {
        return !isCircularBuffer() && allocatedAt() < moment && endedAt > moment;
    }

    /**
     * Returns whether the reading that has to show that this was given back shows something else that lies at its place: a mesh is read
     * together with its devices, whose own allocators lend the same addresses.
     */
    public boolean isHiddenBy(Life other) {
        int readAt = isOfTheRuntime() ? meshClosedAt : meshClosingAt;
        boolean isRead = details().mesh().equals(other.details().mesh()) || other.birth.ownership() == Ownership.OWNING;
        return isOfAMesh() && isRead && other.isThereAt(readAt) && isAt(other.device(), other.type(), other.address());
    }

    void end(int moment, int step) {
        endedAt = moment;
        endStep = step;
    }

    void isCollected() {
        collected = true;
    }

    /** Its device was closed, which began at a moment. */
    void deviceCloses(int moment) {
        if (allocatedAt() < moment) {
            deviceClosingAt = Math.min(deviceClosingAt, moment);
        }
    }

    void meshCloses(int moment, int step) {
        if (meshClosingAt == NEVER) {
            closeStep = step;
        }
        meshClosingAt = Math.min(meshClosingAt, moment);
    }

    void meshIsClosed(int moment) {
        meshClosedAt = Math.min(meshClosedAt, moment);
    }

    void deviceIsClosed(int moment) {
        deviceClosedAt = Math.min(deviceClosedAt, moment);
    }

    /** Returns whether it was given back by the time it had to be: by its user before the close begins, by the runtime during it. */
    boolean wasFreedInTime(int checkedAt) {
        return endedAt < Math.min(checkedAt, isOfTheRuntime() ? meshClosedAt : meshClosingAt);
    }

    void ownerIsCached() {
        cached = true;
    }

    void ownerEnds(int moment, int step) {
        if (ownerEndedAt == NEVER) {
            ownerEndedAt = moment;
            ownerEndedStep = step;
        }
    }

    void processDies(int moment) {
        processDiedAt = Math.min(processDiedAt, moment);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s %d on device %d, %s, of step %d",
                type(),
                address(),
                device(),
                details(),
                allocationStep());
    }
}
