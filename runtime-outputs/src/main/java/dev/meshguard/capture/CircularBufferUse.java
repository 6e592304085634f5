package dev.meshguard.capture;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The circular buffers that programs placed on one device during a capture.
 *
 * <p>Dataflow buffers and scratchpads are included. They lie outside the allocator and end with their program, so no
 * verdict judges them.
 *
 * @param device the number that the nodes name: a chip, or the mesh device if nothing was dispatched
 * @param placed how many were placed in memory of their own
 * @param borrowed how many lie in the memory of a buffer
 * @param peakBytesPerCore the largest sum of simultaneous ones in memory of their own, in bytes of one core; which cores
 *     they use is not considered, so a core may use less
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CircularBufferUse(int device, long placed, long borrowed, long peakBytesPerCore) {}
