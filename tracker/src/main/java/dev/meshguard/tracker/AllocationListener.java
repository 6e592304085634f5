package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Hears of every buffer's life from a source of reports.
 *
 * <p>A source is a mesh without hardware, an adapter around a device binding, or a server that real processes report
 * to. What a processor of the {@code GraphTracker} is in tt-metal ({@code tt_metal/impl/graph/graph_tracking.cpp}), this
 * is here. {@link AllocationTracker} is the listener that records.
 *
 * <p>One call of the code under test is one request, however many devices it touches: ask for it once with
 * {@link #request(AllocationDetails)} and report each device's buffer with it, so that eight buffers of one mesh buffer
 * are seen as one, with one origin.
 *
 * <pre>{@code
 * AllocationRequest request = listener.request(AllocationDetails.user());
 * for (int device : devices) {
 *     listener.allocated(request, device, BufferType.DRAM, address, size, Ownership.NON_OWNING);
 * }
 * }</pre>
 *
 * <p>Several meshes may lie over one device: a mesh and its submeshes, or a second mesh over devices that are active. Each has
 * an allocator of its own, so all lend the same addresses. A source with such meshes names the mesh in the details of
 * every request and release of a buffer ({@link AllocationDetails#onMesh(int)}), reports a device opened when it is
 * initialised and not when one more mesh uses it, and closed when the last one is done with it.
 *
 * <p>Listeners are called from any thread and must neither block nor throw for what the code under test did.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AllocationListener {

    /** Begins one request for memory; the listener may take the caller's stack as its origin. */
    AllocationRequest request(AllocationDetails details);

    /** Begins one request to give memory back; where its details name a mesh, it takes back what that mesh lent. */
    AllocationRequest release(AllocationDetails details);

    /**
     * Reports one buffer on one device.
     *
     * @param request the request it belongs to
     * @param device the device id, 0 or more
     * @param type the memory
     * @param address the first address, in bytes
     * @param size the size, in bytes
     * @param ownership whether the reporting object owns the memory
     */
    void allocated(
            AllocationRequest request, int device, BufferType type, long address, long size, Ownership ownership);

    /** Reports that one buffer on one device was freed. */
    void freed(AllocationRequest release, int device, BufferType type, long address, Ownership ownership);

    /** Reports that the runtime was asked to free something and did nothing. */
    void freeIgnored(AllocationRequest release, int device, BufferType type, long address, IgnoredFreeReason reason);

    /** Begins a phase; closing the scope goes back to the phase before. */
    Scope phase(Phase phase);

    /** Reports that an owner is now kept by a cache, for example {@code program cache}. */
    void ownerCached(Owner owner, String cache);

    /** Reports the end of an owner: nothing it owned can be in use after it. */
    void ownerEnded(Owner owner);

    /** Reports that a mesh was opened. */
    void meshOpened(MeshDescription mesh);

    /** Reports that the close of a mesh begins. */
    void meshClosing(int mesh);

    /** Reports that a mesh is closed. */
    void meshClosed(int mesh);

    /** Reports that a device was initialised; its addresses start a new life. */
    void deviceOpened(int device);

    /** Reports that a device was closed. */
    void deviceClosed(int device);

    /** Hands over what an independent count of the same memory says. */
    void witnessed(WitnessSnapshot reading);

    /**
     * Reports that the source could not hand over some reports.
     *
     * @param count how many, or less than 0 when that is not known either; 0 says nothing
     * @param reason what happened, as a whole sentence without the full stop
     */
    void reportsLost(long count, String reason);

    /**
     * Hands over the object by which the code under test holds what a request took, so that it can be found out later whether
     * anything still refers to it. The listener must not hold it.
     *
     * <p>Does nothing unless implemented: who is not told cannot tell held buffers from lost ones.
     *
     * @param request the request that took the memory
     * @param handle the object without which nobody can free it
     */
    default void handedOut(AllocationRequest request, Object handle) {}

    /**
     * Reports that something is connected that will report; a history to which nothing was ever connected proves nothing.
     *
     * @param source what it is, for example {@code mesh-fake}
     */
    default void sourceAttached(String source) {}

    /**
     * Reports that something is connected that reports of a part of what happens; reports say so, because what lies outside of it is
     * never missing.
     *
     * @param source what it is
     * @param covers what it reports of, for example {@code mocks of Device that thread "main" makes}
     */
    default void sourceAttached(String source, String covers) {
        sourceAttached(source);
    }

    /** Reports that a process is gone that has reported under {@link AllocationDetails#processId()}. */
    default void processDied(long processId) {}

    /**
     * Reports that from here on neither allocations nor frees are heard of.
     *
     * @param reason what happened, as a whole sentence without the full stop
     */
    default void trackingStopped(String reason) {}

    /** Reports that allocations and frees are heard of again. */
    default void trackingStarted() {}

    /**
     * Announces a canary on each of the given devices of a mesh: a buffer of {@link BufferKind#CANARY} that is reported and freed as
     * any other and takes no memory. If one of them does not arrive, nor would a leak.
     */
    default void canaryPlanted(int mesh, List<Integer> devices) {}
}
