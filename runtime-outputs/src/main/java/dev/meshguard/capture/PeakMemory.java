package dev.meshguard.capture;

import java.util.List;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The largest amounts of memory that were allocated at one time during a recording, in bytes.
 *
 * <p>They are those of the helpers {@code ttnn.graph.extract_…} ({@code ttnn/core/graph/graph_trace_utils.cpp}), without these
 * flaws of theirs:
 *
 * <ul>
 *   <li>The free of a buffer from before the capture makes their unsigned sums huge. Here it subtracts nothing that was not added.
 *   <li>They add a buffer twice whose node follows the beginning of the operation that allocates it. Here it counts once.
 *   <li>They add the circular buffers of all chips. Here the sum is that of the fullest chip.
 * </ul>
 *
 * <p>Like the helpers, the figures of a core ignore which cores a buffer uses, so a core may use less. A database contains
 * snapshots, so its figures are those of the ends of operations, and those of events are missing.
 *
 * @param devices the peaks of the buffers that were allocated during the capture; empty for a database
 * @param l1WithCircularBuffers as {@code extract_peak_L1_memory_usage}: the L1 buffers of all banks, those that operations take
 *     as input included, and the circular buffers of one core; empty for a database
 * @param circularBuffersPerCore as {@code extract_circular_buffers_peak_size_per_core}: the circular buffers, dataflow buffers
 *     and scratchpads in memory of their own
 * @param l1PerCore as {@code extract_l1_buffer_allocation_peak_size_per_core}: the L1 buffers in the fullest bank, of the fullest
 *     device; empty if the file does not have the size in a bank
 * @param totalPerCore as {@code peak_total} of {@code extract_resource_usage_per_core}: both at the same time; of several meshes at
 *     most that; empty if it is not known
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record PeakMemory(
        List<Device> devices,
        OptionalLong l1WithCircularBuffers,
        long circularBuffersPerCore,
        OptionalLong l1PerCore,
        OptionalLong totalPerCore) {

    /**
     * The peaks of a mesh device, of its buffers in all banks.
     *
     * @param device the id of the mesh device
     * @param l1Bytes the peak in L1
     * @param dramBytes the peak in DRAM, the trace region included, as {@code peak} of {@code extract_dram_usage}
     */
    public record Device(int device, long l1Bytes, long dramBytes) {}

    /** Creates the record with its own copy of the list. */
    public PeakMemory {
        devices = List.copyOf(devices);
    }
}
