package dev.meshguard.mesh.runtime;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A program that the runtime runs for itself, and the buffers it is to own.
 *
 * <p>The programs of the real runtime own none that its allocators or trackers know: they live in reserved L1, on dispatch cores and in
 * host memory. To see what it would mean if they did, say how large their buffers are and add them to the runtime:
 *
 * <pre>{@code
 * Ttnn.builder(listener).systemProgram(SystemProgram.dispatch().withKernelBinary(4).withCircularBuffer(4_096))
 * }</pre>
 *
 * <p>The kernel binary lies at the top of DRAM, circular buffers at the bottom of L1 on all compute cores, as those of other programs.
 *
 * <table>
 * <caption>When the programs are there, and when they go</caption>
 * <tr><th></th><th>there is one for</th><th>at the close</th></tr>
 * <tr><td>{@link #commandQueue}</td><td>each queue of each mesh, also of submeshes</td>
 *     <td>the mesh frees it before it wipes its allocator</td></tr>
 * <tr><td>{@link #ethernetRouter}, {@link #dispatch}</td><td>each device</td>
 *     <td>the device drops it when its allocator is gone: the free is reported and finds nothing</td></tr>
 * <tr><td>{@link #fabric}</td><td>each device</td><td>nothing drops it, so its free is never reported</td></tr>
 * </table>
 *
 * <p>{@link CloseOrder} and {@link RuntimeFix} change that. Immutable and safe for use by several threads. Sources:
 * {@code close_impl} in {@code tt_metal/distributed/mesh_device.cpp} and {@code Device::close} in
 * {@code tt_metal/impl/device/device.cpp}, which resets everything but {@code fabric_program_}.
 *
 * @param kind the part of the runtime it belongs to
 * @param kernelBinaryPages the pages of 2,048 bytes that its kernel binary takes in DRAM
 * @param circularBuffers the bytes of each of its circular buffers on each core
 * @param lifetime whether its buffers have to be freed at close ({@link BufferLifetime#SYSTEM}) or stay by design ({@link
 *     BufferLifetime#PERSISTENT}): then nothing frees them
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SystemProgram(
        Owner.Kind kind, int kernelBinaryPages, List<Long> circularBuffers, BufferLifetime lifetime) {

    /**
     * Creates a program with its own copy of the list.
     *
     * @throws IllegalArgumentException if the runtime has no such programs, a number is negative, a circular buffer is empty, or the
     *     lifetime is {@link BufferLifetime#USER}
     */
    public SystemProgram {
        boolean known = switch (kind) {
            case COMMAND_QUEUE, DISPATCH, FABRIC, ETHERNET_ROUTER -> true;
            case PROGRAM, TRACE, MESH_COORDINATION, OTHER -> false;
        };
        if (!known) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "The runtime runs no program of kind %s for itself: use COMMAND_QUEUE, DISPATCH, FABRIC or ETHERNET_ROUTER",
                    kind));
        }
        circularBuffers = List.copyOf(circularBuffers);
        if (kernelBinaryPages < 0 || circularBuffers.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot give a program of kind %s %d binary pages and circular buffers of %s B:"
                            + " pages are 0 or more, and a circular buffer holds at least 1 B",
                    kind,
                    kernelBinaryPages,
                    circularBuffers));
        }
        if (lifetime == BufferLifetime.USER) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot leave the buffers of a program of kind %s to the code under test: use SYSTEM or PERSISTENT",
                    kind));
        }
    }

    /** Returns what keeps a command queue of a mesh going, without buffers yet. */
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

    /** Returns what forwards packets on the Ethernet cores of a device, without buffers yet. */
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
