package dev.meshguard.mesh.fault;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Decides while a program runs which of its allocations find no memory.
 *
 * <p>A {@link FaultPlan} says it beforehand and counts from the first allocation of a runtime; this one is asked from the moment it is
 * {@linkplain dev.meshguard.mesh.Ttnn#decideAllocations given to the runtime}, so it can count what one stretch of a test allocates, or
 * look at the stack of whoever asks. What is asked about is what {@link FaultPlan#failingAllocation(long, BufferType)} counts.
 *
 * <p>It is asked on the thread that allocates, before the allocator is, and by several threads at a time if several allocate. What it
 * throws leaves the allocation as an error would, with nothing taken and nothing reported.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface AllocationDecision {

    /**
     * Returns the fault that an allocation is to meet; without one the allocator decides.
     *
     * @param memory what is asked for
     * @param devices the devices on which it will lie
     */
    Optional<Fault.AllocationFails> faultOf(BufferType memory, List<Integer> devices);
}
