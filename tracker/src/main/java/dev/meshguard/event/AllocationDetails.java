package dev.meshguard.event;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a source knows about a request besides devices, addresses and sizes.
 *
 * <p>Immutable. Start from {@link #user()} or {@link #system(Owner)} and add what is known; what is not known is left
 * out, because a verdict must never rest on a guess.
 *
 * <pre>{@code
 * AllocationDetails.user().labelled("kv-cache").withExtent(43_008);
 * }</pre>
 *
 * @param kind whether the allocator knows the buffers
 * @param lifetime who frees them
 * @param owner on whose behalf they were allocated, if that is known
 * @param label what the code under test says they are for, if it says so
 * @param extent bytes that each buffer takes from its address on, in every bank it lies in; needed to see overlaps in
 *     memory that is spread over banks
 * @param processId the process that reports, if there is more than one
 * @param mesh the mesh whose allocator lent the memory, if the source knows it; needed where several meshes lie over one
 *     device, because each has an allocator of its own and all lend the same addresses
 * @param handleCollected whether memory goes back because its last handle was garbage and was collected, and not because
 *     somebody called for it; never so of a request for memory
 * @param connection the connection over which it was reported, if the source has several; numbered from 1
 * @param allocator which of the allocators over the device reserved the memory, if the source knows it; a mesh, its devices and
 *     its sub-devices have one each, and two of them can reserve the same address
 * @param view whether the request reserved no memory and points to what another request reserved; its allocator is then that of
 *     the other
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AllocationDetails(
        BufferKind kind,
        BufferLifetime lifetime,
        Optional<Owner> owner,
        Optional<String> label,
        OptionalLong extent,
        OptionalLong processId,
        OptionalInt mesh,
        boolean handleCollected,
        OptionalInt connection,
        Optional<AllocatorId> allocator,
        boolean view) {

    private static final AllocationDetails USER = new AllocationDetails(
            BufferKind.BUFFER,
            BufferLifetime.USER,
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalInt.empty(),
            false,
            OptionalInt.empty(),
            Optional.empty(),
            false);

    /**
     * Creates details; no allocator knows a circular buffer, so there mesh and allocator are left out, and a device's own
     * allocator belongs to no mesh.
     */
    public AllocationDetails {
        boolean isInNoAllocator = kind == BufferKind.CIRCULAR_BUFFER;
        allocator = isInNoAllocator ? Optional.empty() : allocator;
        boolean isInNoMesh =
                isInNoAllocator || (allocator.isPresent() && allocator.get().kind() == AllocatorId.Kind.DEVICE);
        mesh = isInNoMesh ? OptionalInt.empty() : mesh;
    }

    /** Returns the details of a buffer that the code under test must free, of which nothing else is known. */
    public static AllocationDetails user() {
        return USER;
    }

    /** Returns the details of a buffer that the runtime allocates for the given owner and frees at close. */
    public static AllocationDetails system(Owner owner) {
        return USER.withLifetime(BufferLifetime.SYSTEM).ownedBy(owner);
    }

    /** Returns the details of a circular buffer of the given program. */
    public static AllocationDetails circularBuffer(Owner program) {
        return USER.ofKind(BufferKind.CIRCULAR_BUFFER).ownedBy(program);
    }

    /** Returns the details of a canary of the given mesh; see {@link dev.meshguard.tracker.AllocationListener#canaryPlanted}. */
    public static AllocationDetails canary(int mesh) {
        return USER.ofKind(BufferKind.CANARY).onMesh(mesh);
    }

    /** Returns these details for another kind of buffer. */
    public AllocationDetails ofKind(BufferKind newKind) {
        return new AllocationDetails(
                newKind, lifetime, owner, label, extent, processId, mesh, handleCollected, connection, allocator, view);
    }

    /** Returns these details with another lifetime. */
    public AllocationDetails withLifetime(BufferLifetime newLifetime) {
        return new AllocationDetails(
                kind, newLifetime, owner, label, extent, processId, mesh, handleCollected, connection, allocator, view);
    }

    /** Returns these details with an owner. */
    public AllocationDetails ownedBy(Owner newOwner) {
        return new AllocationDetails(
                kind,
                lifetime,
                Optional.of(newOwner),
                label,
                extent,
                processId,
                mesh,
                handleCollected,
                connection,
                allocator,
                view);
    }

    /** Returns these details with a label. */
    public AllocationDetails labelled(String newLabel) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                Optional.of(newLabel),
                extent,
                processId,
                mesh,
                handleCollected,
                connection,
                allocator,
                view);
    }

    /** Returns these details with the bytes that each buffer takes in every bank. */
    public AllocationDetails withExtent(long bytesPerBank) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                label,
                OptionalLong.of(bytesPerBank),
                processId,
                mesh,
                handleCollected,
                connection,
                allocator,
                view);
    }

    /** Returns these details with the process that reports. */
    public AllocationDetails reportedBy(long newProcessId) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                label,
                extent,
                OptionalLong.of(newProcessId),
                mesh,
                handleCollected,
                connection,
                allocator,
                view);
    }

    /** Returns these details with the connection over which the process reports. */
    public AllocationDetails overConnection(int newConnection) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                label,
                extent,
                processId,
                mesh,
                handleCollected,
                OptionalInt.of(newConnection),
                allocator,
                view);
    }

    /**
     * Returns these details with the mesh whose allocator lent the memory.
     *
     * <p>To be given with the free of a buffer as with its allocation: a free takes back what the same mesh lent.
     * Circular buffers lie in no allocator, so these details of one stay as they are.
     *
     * @param newMesh the mesh's number, as in {@link MeshDescription#id()}
     */
    public AllocationDetails onMesh(int newMesh) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                label,
                extent,
                processId,
                OptionalInt.of(newMesh),
                handleCollected,
                connection,
                allocator,
                view);
    }

    /**
     * Returns these details for memory that goes back because its last handle was garbage and was collected.
     *
     * <p>To be given with a release only. Such a release has no origin: no line of the code under test asked for it.
     */
    public AllocationDetails ofCollectedHandle() {
        return new AllocationDetails(
                kind, lifetime, owner, label, extent, processId, mesh, true, connection, allocator, view);
    }

    /**
     * Returns these details with the allocator that reserved the memory.
     *
     * <p>To be given with the free of a buffer as with its allocation: a free takes back what the same allocator reserved. Where
     * it is left out, reports match by mesh and address alone. Circular buffers lie in no allocator, so these details of one stay
     * as they are; a device's own allocator belongs to no mesh, so its details name none.
     */
    public AllocationDetails fromAllocator(AllocatorId newAllocator) {
        return new AllocationDetails(
                kind,
                lifetime,
                owner,
                label,
                extent,
                processId,
                mesh,
                handleCollected,
                connection,
                Optional.of(newAllocator),
                view);
    }

    /** Returns these details for a request that reserves nothing and points to memory that another request reserved. */
    public AllocationDetails asView() {
        return new AllocationDetails(
                kind, lifetime, owner, label, extent, processId, mesh, handleCollected, connection, allocator, true);
    }
}
