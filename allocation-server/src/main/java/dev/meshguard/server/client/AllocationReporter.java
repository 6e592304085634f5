package dev.meshguard.server.client;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationListener;
import java.nio.file.Path;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Forwards the reports of a mesh without hardware, or of any other source, to an allocation server, as the real runtime
 * does.
 *
 * <pre>{@code
 * try (AllocationReporter reporter = AllocationReporter.to(socket, RecordSize.BYTES_112)) {
 *     Ttnn ttnn = Ttnn.create(reporter);
 *     …
 * }
 * }</pre>
 *
 * <p>One program's test can then track another program's mesh. The wire format does not contain owners, lifetimes,
 * labels, phases, meshes and witness snapshots. Circular buffers are reported as L1 buffers, as
 * tt-metal's own client does. Memory that belongs to no device is not sent; each record has a device.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationReporter implements AllocationListener, AutoCloseable {

    private final AllocationClient client;

    private AllocationReporter(AllocationClient client) {
        this.client = client;
    }

    /** Returns a reporter to the server at a socket. */
    public static AllocationReporter to(Path socket, RecordSize recordSize) {
        return over(AllocationClient.connect(socket, recordSize));
    }

    /** Returns a reporter over a client, which is closed with it. */
    public static AllocationReporter over(AllocationClient client) {
        return new AllocationReporter(client);
    }

    @Override
    public MemoryRequest request(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    @Override
    public MemoryRequest release(AllocationDetails details) {
        return MemoryRequest.of(details);
    }

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (device != HistoryEvent.NO_DEVICE) {
            client.allocated(device, type, address, size);
        }
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (device != HistoryEvent.NO_DEVICE) {
            client.freed(device, address);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
