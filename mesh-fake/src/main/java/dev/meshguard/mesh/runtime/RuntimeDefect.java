package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A defect by which a real runtime misreports or keeps memory; enable it per mesh.
 *
 * <p>All are off by default. Most were found when allocation tracking was added to tt-metal in October 2025; some are in its
 * issue tracker. The source files are those of the tracking branch unless main is named. Behaviour by design, and behaviour of
 * the listening server, are not included: {@code docs/internals/mesh-fidelity.md} classifies them.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum RuntimeDefect {
    /**
     * The runtime does not report frees of buffers at a given address.
     *
     * <p>Cause: their {@code deallocate()} returns at once because they do not own their memory. Symptom: only owners of memory
     * report frees, so what a mesh buffer reported for its devices seems to remain. Source: {@code Buffer::deallocate} in
     * {@code tt_metal/impl/buffers/buffer.cpp}.
     */
    NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
    /**
     * The runtime does not report the devices' frees when code deallocates a mesh buffer explicitly.
     *
     * <p>Cause: while the mesh is open, deallocate only changes the mesh buffer's own state, which drops the backing buffer,
     * and returns. Symptom: the memory is freed, but no device's free is reported. Buffers that are destroyed with their owner,
     * such as kernel binaries, are not affected: their devices' buffers are destroyed with them. Source:
     * {@code MeshBuffer::deallocate} in {@code tt_metal/distributed/mesh_buffer.cpp}.
     */
    MESH_BUFFER_DEALLOCATE_RETURNS_EARLY,
    /**
     * The runtime reports the backing buffer of every mesh buffer as a buffer of device 0.
     *
     * <p>Cause: the buffer belongs to the mesh, and the runtime uses the number of the mesh, 0 in a new process, as that of a
     * device. Symptom: nine reports for eight devices, all counts doubled on device 0. Under
     * {@link ReportingModel#TRACKING_BRANCH} a kernel binary appears there once more, for the buffer on the mesh that each
     * program keeps. Source: {@code track_allocate} in {@code tt_metal/graph/graph_tracking.cpp} and {@code MeshBuffer::create}
     * in {@code tt_metal/distributed/mesh_buffer.cpp}.
     */
    BACKING_BUFFERS_REPORTED_AS_DEVICE_0,
    /**
     * The runtime reports circular buffers when a program places them, and never reports their end.
     *
     * <p>Cause: {@code deallocate_circular_buffers} is declared and not called. Symptom: three L1 buffers that remain until the
     * process ends. Source: {@code tt_metal/impl/program/program.cpp}; on main implemented on 2026-04-18.
     */
    CIRCULAR_BUFFERS_NEVER_REPORTED_FREE,
    /**
     * The runtime does not report the free of a buffer whose device is already closed.
     *
     * <p>Cause: {@code deallocate_impl} calls the trackers only while the device is initialised. Symptom: a buffer that
     * outlives the close, such as a tensor of a running test or a cached kernel binary, is never reported as freed. Source:
     * {@code tt_metal/impl/buffers/buffer.cpp}, on main as well.
     */
    BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED,
    /**
     * The runtime frees its own buffers at close without reporting it.
     *
     * <p>Cause: closing clears the banks of the allocator instead of freeing buffers one by one. Symptom: the runtime's own
     * buffers seem to outlive the close. Source: {@code Allocator::deallocate_buffers} in
     * {@code tt_metal/impl/allocator/allocator.cpp}.
     */
    ALLOCATOR_CLEARS_WITHOUT_REPORTING,
    /**
     * The runtime initialises an opened device a second time.
     *
     * <p>Cause: the runtime does not check for an earlier initialisation and loses the allocations of the first one. Symptom:
     * the runtime's own buffers exist twice, and only one set is freed at close. Source: {@code MeshDevice::initialize} in
     * {@code tt_metal/distributed/mesh_device.cpp}, repaired in September 2025.
     */
    DEVICE_INITIALISED_TWICE,
    /**
     * The runtime allocates its own buffers when it initialises a device and again when it sets up the mesh.
     *
     * <p>Cause: there are two paths of initialisation, one with the device's allocator and one with the mesh's. The two
     * allocators are independent, so both allocate the same address, and only the mesh's allocation is freed at close. Symptom:
     * two allocations at one address and one free, on every device. Hypothesis 1 of seed 003, which could not explain the equal
     * addresses. Source: {@code Device::initialize} in {@code tt_metal/impl/device/device.cpp} and
     * {@code MeshDevice::initialize} in {@code tt_metal/distributed/mesh_device.cpp}.
     */
    INITIALISED_BY_DEVICE_AND_MESH,
    /**
     * The runtime reports the frees, but not the allocations, of buffers that it allocated while the mesh was being opened.
     *
     * <p>Cause: the hook is in the allocator and is set after the first buffers were allocated. Symptom: frees without an
     * allocation. Source: {@code tt_metal/impl/allocator/allocator.cpp} of the tracking branch, before the reports moved to
     * {@code buffer.cpp}.
     */
    EARLY_ALLOCATIONS_NOT_REPORTED,
    /**
     * Circular buffers are not reported at all.
     *
     * <p>Cause: the report sits in the path of slow dispatch, and an early {@code continue} skips buffers in the other one. Symptom:
     * no circular buffer is ever seen, though every operation needs some. Source: {@code tt_metal/impl/program/program.cpp} of the
     * tracking branch.
     */
    CIRCULAR_BUFFERS_NOT_REPORTED,
    /**
     * The end of a program frees the circular buffers of all programs of the mesh.
     *
     * <p>Cause: the tracker keeps one list for each device instead of one for each program. Symptom: circular buffers of
     * programs that still exist are missing from the reported counts. Source: {@code track_deallocate_cb} in
     * {@code tt_metal/graph/graph_tracking.cpp} of the tracking branch.
     */
    PROGRAM_END_FREES_ALL_CIRCULAR_BUFFERS,
    /**
     * The runtime reports a free only after the address was reused.
     *
     * <p>Cause: allocating an address and reporting it are not atomic, so the reports of two threads arrive in the wrong order.
     * Here a free is delayed until the next buffer at its address was reported, or until the close. Symptom: a ledger that
     * counts every report loses the new buffer, whose own free then matches nothing. Source:
     * {@code tt_metal/impl/buffers/buffer.cpp} of the tracking branch.
     */
    FREES_REPORTED_AFTER_THE_ADDRESS_IS_REUSED,
    /**
     * Frees name devices that do not exist.
     *
     * <p>Cause: the id is read through a pointer to a device that may be gone. Here a free names a number that is
     * {@value #STALE_DEVICE_IDS} higher. Symptom: ids between 14 and 77 in a system of eight devices. Source:
     * {@code tt_metal/impl/buffers/buffer.cpp} of the tracking branch.
     */
    FREES_NAME_STALE_DEVICES,
    /**
     * The runtime reports nothing after the mesh is closed.
     *
     * <p>Cause: the process closes the connection to the tracker before it destroys the programs. Symptom: circular buffers and
     * binaries of programs that end last remain until the server detects the end of the process. Source: the tear-down order of
     * the tracking branch, {@code tt_metal/impl/allocator/allocation_client.cpp}.
     */
    REPORTS_END_AT_CLOSE,
    /**
     * The runtime crashes when a mesh buffer is freed after its mesh was closed.
     *
     * <p>Cause: {@code MeshBuffer::deallocate} calls the allocator of a device that no longer has one. Here an
     * {@link IllegalStateException} is thrown, and the listener receives an ignored free. Symptom: a segmentation fault when
     * the last tensors are collected. Source: {@code tt_metal/distributed/mesh_buffer.cpp}, tt-metal #43422 of April 2026.
     */
    MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES,
    /**
     * The runtime crashes when a mesh buffer is freed after its mesh object was destroyed.
     *
     * <p>Cause: the buffer keeps a pointer to the mesh, whose destructor has run. Here an {@link IllegalStateException} is
     * thrown, and the listener receives an ignored free. Symptom: a segmentation fault when buffers are destroyed after the
     * mesh. Source: {@code tt_metal/distributed/mesh_buffer.cpp}, tt-metal #18181 of February 2025.
     */
    MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES,
    /**
     * The runtime keeps the buffer of a released trace.
     *
     * <p>Cause: another reference to the buffer remains when the trace is removed from its pool, so its destructor never runs.
     * The memory is not freed, and the size of the traces does not decrease. Symptom: a sweep that captures and releases one
     * trace after the other fills the trace region. Source: {@code MeshDevice::release_mesh_trace} in
     * {@code tt_metal/distributed/mesh_device.cpp}, as described in tt-metal #22660 of May 2025. The repair then concerned the
     * size, {@link #TRACE_SIZE_NOT_LOWERED_ON_RELEASE}.
     */
    TRACE_BUFFER_KEPT_AFTER_RELEASE,
    /**
     * The runtime still counts the size of a released trace against the trace region.
     *
     * <p>Cause: the destructor of the trace's buffer does not decrease the sum that the mesh keeps. Symptom: all memory is
     * freed, but a later capture is rejected. Allocations cause a warning as unsafe although no trace remains. Source:
     * {@code MeshTraceBuffer} in {@code tt_metal/distributed/mesh_trace.cpp}, repaired in tt-metal #22662 of May 2025 and,
     * after a regression, #27966 of September 2025.
     */
    TRACE_SIZE_NOT_LOWERED_ON_RELEASE;

    /** How much higher the ids are that {@link #FREES_NAME_STALE_DEVICES} names. */
    public static final int STALE_DEVICE_IDS = 50;
}
