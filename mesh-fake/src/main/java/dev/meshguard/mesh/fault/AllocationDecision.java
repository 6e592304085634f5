package dev.meshguard.mesh.fault;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Decides during a run which of its allocations fail.
 *
 * <p>A {@link FaultPlan} defines failures in advance and counts from the first allocation of a runtime. This interface is
 * called from the moment a test {@linkplain dev.meshguard.mesh.Ttnn#decideAllocations passes it to the runtime}. It can
 * therefore count the allocations of one section of a test, or inspect the stack of the caller. It is called for the
 * allocations that {@link FaultPlan#failingAllocation(long, BufferType)} counts.
 *
 * <p>The runtime calls it on the allocating thread, before the allocator, and concurrently if several threads allocate. If it
 * throws, the allocation fails with that exception; nothing is allocated and nothing is reported.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface AllocationDecision {

    /**
     * Returns the fault to inject into an allocation; if empty, the allocator decides.
     *
     * @param memory the requested memory
     * @param devices the devices of the allocation
     */
    Optional<Fault.AllocationFails> faultOf(BufferType memory, List<Integer> devices);
}
