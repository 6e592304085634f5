package dev.meshguard.mesh.runtime;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A program of the runtime itself, and the buffers that it owns in a simulation.
 *
 * <p>The programs of the real runtime own no buffers that its allocators or trackers manage. They use reserved L1, dispatch
 * cores and host memory. To see the effect of such buffers, set their sizes and add the program to the runtime:
 *
 * <pre>{@code
 * Ttnn.builder(listener).systemProgram(SystemProgram.dispatch().withKernelBinary(4).withCircularBuffer(4_096))
 * }</pre>
 *
 * <p>As for other programs, the kernel binary is at the top of DRAM, and circular buffers are at the bottom of L1 on all
 * compute cores.
 *
 * <table> <caption>Existence and end of the programs</caption>
 * <tr><th></th><th>one exists for</th><th>at the close</th></tr>
 * <tr><td>{@link #commandQueue}</td><td>each queue of each mesh, also of submeshes</td>
 * <td>the mesh frees it before it clears its allocator</td></tr>
 * <tr><td>{@link #ethernetRouter}, {@link #dispatch}</td><td>each device</td>
 * <td>the device destroys it after its allocator: the free is reported and frees nothing</td></tr>
 * <tr><td>{@link #fabric}</td><td>each device</td><td>the device never destroys it, so its free is never reported</td></tr>
 * </table>
 *
 * <p>{@link CloseOrder} and {@link RuntimeFix} change that. Immutable and safe for use by several threads. Sources:
 * {@code close_impl} in {@code tt_metal/distributed/mesh_device.cpp} and {@code Device::close} in
 * {@code tt_metal/impl/device/device.cpp}, which resets everything but {@code fabric_program_}.
 *
 * @param kind the part of the runtime to which it belongs
 * @param kernelBinaryPages the pages, of 2,048 bytes each, of its kernel binary in DRAM
 * @param circularBuffers the bytes of each of its circular buffers on each core
 * @param lifetime whether its buffers have to be freed at close ({@link BufferLifetime#SYSTEM}) or remain allocated by design
 *     ({@link BufferLifetime#PERSISTENT}); the runtime never frees persistent ones
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SystemProgram(
        Owner.Kind kind, int kernelBinaryPages, List<Long> circularBuffers, BufferLifetime lifetime) {

    /**
     * Creates a program with its own copy of the list.
     *
     * @throws IllegalArgumentException if the runtime has no such programs, a number is negative, a circular buffer is empty,
     *     or the lifetime is {@link BufferLifetime#USER}
     */
    public SystemProgram {
        boolean known = switch (kind) {
            case COMMAND_QUEUE, DISPATCH, FABRIC, ETHERNET_ROUTER -> true;
            case PROGRAM, TRACE, MESH_COORDINATION, OTHER -> false;
        };
        if (!known) {
            throw new IllegalArgumentException(InvariantText.of(
                    "The runtime runs no program of kind %s for itself: use COMMAND_QUEUE, DISPATCH, FABRIC or ETHERNET_ROUTER",
                    kind));
        }
        circularBuffers = List.copyOf(circularBuffers);
        if (kernelBinaryPages < 0 || circularBuffers.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot give a program of kind %s %d binary pages and circular buffers of %s B:"
                            + " pages are 0 or more, and a circular buffer holds at least 1 B",
                    kind, kernelBinaryPages, circularBuffers));
        }
        if (lifetime == BufferLifetime.USER) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot leave the buffers of a program of kind %s to the code under test: use SYSTEM or PERSISTENT",
                    kind));
        }
    }

    /** Returns the program of a command queue of a mesh, without buffers. */
    public static SystemProgram commandQueue() {
        return of(Owner.Kind.COMMAND_QUEUE);
    }

    /** Returns the prefetcher and dispatcher of a device ({@code command_queue_programs_}), without buffers yet. */
    public static SystemProgram dispatch() {
        return of(Owner.Kind.DISPATCH);
    }

    /** Returns the fabric of a device ({@code fabric_program_}), without buffers yet. */
    public static SystemProgram fabric() {
        return of(Owner.Kind.FABRIC);
    }

    /** Returns the program that forwards packets on the Ethernet cores of a device, without buffers. */
    public static SystemProgram ethernetRouter() {
        return of(Owner.Kind.ETHERNET_ROUTER);
    }

    /** Returns this program with a kernel binary of the given pages of 2,048 bytes. */
    public SystemProgram withKernelBinary(int pages) {
        return new SystemProgram(kind, pages, circularBuffers, lifetime);
    }

    /** Returns this program with one more circular buffer, of the given bytes on each core. */
    public SystemProgram withCircularBuffer(long size) {
        List<Long> more = new ArrayList<>(circularBuffers);
        more.add(size);
        return new SystemProgram(kind, kernelBinaryPages, more, lifetime);
    }

    /** Returns this program with buffers of another lifetime; it is {@link BufferLifetime#SYSTEM} unless this is called. */
    public SystemProgram withLifetime(BufferLifetime newLifetime) {
        return new SystemProgram(kind, kernelBinaryPages, circularBuffers, newLifetime);
    }

    private static SystemProgram of(Owner.Kind kind) {
        return new SystemProgram(kind, 0, List.of(), BufferLifetime.SYSTEM);
    }
}
