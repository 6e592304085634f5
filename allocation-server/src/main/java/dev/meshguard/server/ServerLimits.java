package dev.meshguard.server;

/**
 * The limits of a server's memory for reports.
 *
 * @param buffers addresses, and processes that refer to an address that another owns
 * @param circularBuffers circular buffers and kernels
 * @param processes processes with allocations
 * @param events events of the history; 0 if there is none
 */
record ServerLimits(long buffers, long circularBuffers, int processes, long events) {

    /**
     * Bytes of the heap for each limit. A buffer takes some 90 in the ledger and 230 in the tracker, and more while a
     * table grows; an event 80, a circular buffer 140 and with a tracker 270, a process some 300 (measured by
     * {@code ServerMemory} of the benchmarks). All limits together need less than the heap.
     */
    private static final long BYTES_FOR_BUFFER = 640;

    private static final long BYTES_FOR_EVENT = 480;
    private static final long BYTES_FOR_CIRCULAR_BUFFER = 2560;
    private static final long BYTES_FOR_PROCESS = 8192;

    /** Returns the limits for a heap size. */
    static ServerLimits ofHeap(long bytes) {
        return new ServerLimits(
                bytes / BYTES_FOR_BUFFER,
                bytes / BYTES_FOR_CIRCULAR_BUFFER,
                (int) Math.min(Integer.MAX_VALUE, bytes / BYTES_FOR_PROCESS),
                bytes / BYTES_FOR_EVENT);
    }

    ServerLimits withBuffers(long newBuffers) {
        return new ServerLimits(newBuffers, circularBuffers, processes, events);
    }

    ServerLimits withCircularBuffers(long newCircularBuffers) {
        return new ServerLimits(buffers, newCircularBuffers, processes, events);
    }

    ServerLimits withProcesses(int newProcesses) {
        return new ServerLimits(buffers, circularBuffers, newProcesses, events);
    }

    ServerLimits withEvents(long newEvents) {
        return new ServerLimits(buffers, circularBuffers, processes, newEvents);
    }
}
