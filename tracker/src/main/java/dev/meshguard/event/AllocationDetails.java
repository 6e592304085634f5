package dev.meshguard.event;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The properties of an allocation or free request besides devices, addresses and sizes.
 *
 * <p>Immutable. Start from {@link #user()} or {@link #system(Owner)} and add what the source knows. Leave out
 * everything else, because a verdict must never rest on a guess.
 *
 * <pre>{@code
 * AllocationDetails.user().labelled("kv-cache").withExtent(43_008);
 * }</pre>
 *
 * @param kind whether the allocator knows the buffers
 * @param lifetime who frees the buffers
 * @param owner the owner that the buffers were allocated for, if known
 * @param label the purpose that the code under test gave, if any
 * @param extent bytes that each buffer occupies from its address in every bank it lies in; needed to detect overlaps in
 *     memory that is spread over banks
 * @param processId the reporting process, if there is more than one
 * @param mesh the mesh whose allocator reserved the memory, if known; needed where several meshes share a device,
 *     because each has its own allocator and all of them use the same addresses
 * @param handleCollected whether the memory is freed because its last handle was garbage collected, not by a call;
 *     never true for an allocation
 * @param allocator the allocator that reserved the memory, if known; a mesh, its devices and its sub-devices have one
 *     each, and two of them can reserve the same address
 * @param view whether the request reserved no memory and points to memory of another request; the allocator is then
 *     that of the other request
 * @param source the name of the source that reports the memory, where a test has several
 * @param freedOnCollection whether the library frees the memory some time after its last handle was garbage collected; never
 *     true for a free
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
        Optional<AllocatorId> allocator,
        boolean view,
        Optional<String> source,
        boolean freedOnCollection) {

    private static final AllocationDetails USER = new Draft().details();

    /**
     * Creates details without mesh and allocator for a circular buffer, and without mesh for a device's own allocator.
     *
     * <p>No allocator knows a circular buffer. A device's own allocator belongs to no mesh.
     */
    public AllocationDetails {
        boolean isInNoAllocator = kind == BufferKind.CIRCULAR_BUFFER;
        allocator = isInNoAllocator ? Optional.empty() : allocator;
        boolean isInNoMesh =
                isInNoAllocator || (allocator.isPresent() && allocator.get().kind() == AllocatorId.Kind.DEVICE);
        mesh = isInNoMesh ? OptionalInt.empty() : mesh;
    }

    /** Returns whether the memory can be the same by its extent: both have the same, or one has none. */
    @API(status = Status.INTERNAL)
    public boolean mayHaveExtentOf(AllocationDetails other) {
        return extent.isEmpty() || other.extent.isEmpty() || extent.equals(other.extent);
    }

    /**
     * Returns whether a release can free memory with these details. A release with another extent in the bank, of another
     * owner or of another kind is about another buffer.
     */
    @API(status = Status.INTERNAL)
    public boolean mayBeFreedBy(AllocationDetails release) {
        return kind == release.kind && mayHaveExtentOf(release) && mayHaveOwnerOf(release);
    }

    /**
     * Returns whether a report can be about memory with these details, as far as both name an allocator.
     *
     * <p>A circular buffer lies in no allocator, so memory of a named one is no circular buffer.
     *
     * @param known the allocator that these details, or those of further reports of the memory, name
     */
    @API(status = Status.INTERNAL)
    public boolean mayBeInAllocatorOf(AllocationDetails report, Optional<AllocatorId> known) {
        return (kind == BufferKind.CIRCULAR_BUFFER) == (report.kind == BufferKind.CIRCULAR_BUFFER)
                ? AllocatorId.mayBeOne(known, report.allocator)
                : known.isEmpty() && report.allocator.isEmpty();
    }

    /** Returns whether the memory can be the same by its owner: both have the same, or one has none. */
    @API(status = Status.INTERNAL)
    public boolean mayHaveOwnerOf(AllocationDetails other) {
        return owner.isEmpty() || other.owner.isEmpty() || owner.equals(other.owner);
    }

    /** Returns the details of a buffer that the code under test must free and of which nothing else is known. */
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

    /** Returns these details for another kind of buffer. */
    public AllocationDetails ofKind(BufferKind newKind) {
        return with(draft -> draft.kind = newKind);
    }

    /** Returns these details with another lifetime. */
    public AllocationDetails withLifetime(BufferLifetime newLifetime) {
        return with(draft -> draft.lifetime = newLifetime);
    }

    /** Returns these details with an owner. */
    public AllocationDetails ownedBy(Owner newOwner) {
        return with(draft -> draft.owner = Optional.of(newOwner));
    }

    /** Returns these details with a label. */
    public AllocationDetails labelled(String newLabel) {
        return with(draft -> draft.label = Optional.of(newLabel));
    }

    /** Returns these details with the bytes that each buffer takes in every bank. */
    public AllocationDetails withExtent(long bytesPerBank) {
        return with(draft -> draft.extent = OptionalLong.of(bytesPerBank));
    }

    /** Returns these details with the process that reports. */
    public AllocationDetails reportedBy(long newProcessId) {
        return with(draft -> draft.processId = OptionalLong.of(newProcessId));
    }

    /**
     * Returns these details with the mesh whose allocator reserved the memory.
     *
     * <p>Set the same mesh for the allocation and the free of a buffer: a free matches only allocations of its mesh.
     * Circular buffers lie in no allocator, so their details stay unchanged.
     *
     * @param newMesh the mesh's number, as in {@link MeshDescription#id()}
     */
    public AllocationDetails onMesh(int newMesh) {
        return with(draft -> draft.mesh = OptionalInt.of(newMesh));
    }

    /**
     * Returns these details for memory that is freed because its last handle was garbage collected.
     *
     * <p>Use it for releases only. Such a release has no origin, because no line of the code under test requested it.
     */
    public AllocationDetails ofCollectedHandle() {
        return with(draft -> draft.handleCollected = true);
    }

    /**
     * Returns these details with the allocator that reserved the memory.
     *
     * <p>Set the same allocator for the allocation and the free of a buffer: a free matches only allocations of its
     * allocator. Without it, reports match by mesh and address alone. Circular buffers lie in no allocator, so their
     * details stay unchanged. A device's own allocator belongs to no mesh, so its details name none.
     */
    public AllocationDetails fromAllocator(AllocatorId newAllocator) {
        return with(draft -> draft.allocator = Optional.of(newAllocator));
    }

    /** Returns these details for a request that reserves no memory and points to memory of another request. */
    public AllocationDetails asView() {
        return with(draft -> draft.view = true);
    }

    /**
     * Returns these details with the source that reports the memory, where a test has several.
     *
     * <p>Texts then use the {@linkplain SourceDescription#speaking vocabulary} of that source.
     *
     * @param name the name of an attached source, as in {@link SourceDescription#name()}
     */
    public AllocationDetails fromSource(String name) {
        return with(draft -> draft.source = Optional.of(name));
    }

    /**
     * Returns these details for memory that its library frees some time after the last handle was collected.
     *
     * <p>Use it for allocations only: of JavaCPP's pointers, and of handles with a {@link java.lang.ref.Cleaner}. A handle that is
     * dropped is still a leak, because nothing bounds the time until the collector finds it.
     */
    public AllocationDetails asFreedOnCollection() {
        return with(draft -> draft.freedOnCollection = true);
    }

    private AllocationDetails with(Consumer<Draft> change) {
        Draft changed = new Draft();
        changed.copy(this);
        change.accept(changed);
        return changed.details();
    }

    /** The details of a buffer of which nothing is known; components change before the details are made. */
    private static final class Draft {

        private BufferKind kind = BufferKind.BUFFER;
        private BufferLifetime lifetime = BufferLifetime.USER;
        private Optional<Owner> owner = Optional.empty();
        private Optional<String> label = Optional.empty();
        private OptionalLong extent = OptionalLong.empty();
        private OptionalLong processId = OptionalLong.empty();
        private OptionalInt mesh = OptionalInt.empty();
        private boolean handleCollected;
        private Optional<AllocatorId> allocator = Optional.empty();
        private boolean view;
        private Optional<String> source = Optional.empty();
        private boolean freedOnCollection;

        private void copy(AllocationDetails details) {
            kind = details.kind;
            lifetime = details.lifetime;
            owner = details.owner;
            label = details.label;
            extent = details.extent;
            processId = details.processId;
            mesh = details.mesh;
            handleCollected = details.handleCollected;
            allocator = details.allocator;
            view = details.view;
            source = details.source;
            freedOnCollection = details.freedOnCollection;
        }

        private AllocationDetails details() {
            return new AllocationDetails(
                    kind,
                    lifetime,
                    owner,
                    label,
                    extent,
                    processId,
                    mesh,
                    handleCollected,
                    allocator,
                    view,
                    source,
                    freedOnCollection);
        }
    }
}
