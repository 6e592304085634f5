package dev.meshguard.mesh.internal.program;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The addresses of a program's circular buffers in L1: each range of cores has a stack of its own, from the bottom up.
 *
 * <p>The buffers are stacked from the bottom of L1, outside the allocator. Two programs use the same addresses, and no memory
 * is reserved between them. Every distinct range of cores has its own stack. A buffer on several ranges lies above all of their
 * stacks, at one address. It raises each other stack that shares a core with it, unless that stack is already higher.
 *
 * <p>A stack that is already higher is not raised even if the buffer ends above it. A later buffer of that stack may therefore
 * overlap it on the cores that they share. This is the behaviour of the runtime. Immutable. Source:
 * {@code ProgramImpl::allocate_circular_buffers} and {@code validate_circular_buffer_region} in
 * {@code tt_metal/impl/program/program.cpp}.
 */
@NotSearched
public final class CircularBufferLayout {

    private final int program;
    private final Architecture architecture;
    private final long base;
    private final List<Placed> placed;
    private final List<CircularBufferStack> stacks;

    private CircularBufferLayout(
            int program, Architecture architecture, long base, List<Placed> placed, List<CircularBufferStack> stacks) {
        this.program = program;
        this.architecture = architecture;
        this.base = base;
        this.placed = List.copyOf(placed);
        this.stacks = List.copyOf(stacks);
    }

    /**
     * Places circular buffers one after the other.
     *
     * @param program the number of the program, for error texts
     * @param base the first address of L1 that may be used
     */
    public static CircularBufferLayout of(int program, List<Item> items, Architecture architecture, long base) {
        List<CircularBufferStack> stacks = items.stream()
                .flatMap(item -> item.cores().ranges().stream())
                .distinct()
                .map(CircularBufferStack::new)
                .toList();
        List<Placed> placed = new ArrayList<>();
        for (Item item : items) {
            placed.add(new Placed(item, addressFor(item, stacks, architecture, base)));
        }
        return new CircularBufferLayout(program, architecture, base, placed, stacks);
    }

    /** Returns the buffers with their addresses, in the order in which they were created. */
    public List<Placed> placed() {
        return placed;
    }

    /**
     * Checks that the buffers lie on cores that compute.
     *
     * @throws MeshRuntimeException if they do not
     */
    public void requireWithin(CoreRange grid) {
        for (Placed buffer : placed) {
            for (CoreRange cores : buffer.item().cores().ranges()) {
                if (cores.end().x() > grid.end().x()
                        || cores.end().y() > grid.end().y()) {
                    throw new MeshRuntimeException(
                            "Circular buffer core range %s in program %d exceeds device compute grid (%dx%d)",
                            cores, program, grid.end().x() + 1, grid.end().y() + 1);
                }
            }
        }
    }

    /**
     * Checks that the buffers do not lie where L1 buffers are now.
     *
     * @param owner the program, for the error
     * @param allocatedL1 the allocated blocks of L1, for the error
     * @throws InsufficientMemoryException if they do, or if they do not fit into L1 at all
     */
    public void requireRoom(
            OptionalLong lowestOccupiedL1Address, Owner owner, Supplier<List<MemoryShortage.Block>> allocatedL1) {
        for (CircularBufferStack stack : stacks) {
            if (stack.isEmpty()) {
                continue;
            }
            if (stack.end() > architecture.l1Size()) {
                throw new InsufficientMemoryException(
                                "Statically allocated circular buffers on core range %s grow to %d B which is beyond max L1 size of %d B",
                                stack.cores(), stack.end(), architecture.l1Size())
                        .causedBy(beyondL1(owner, stack.end() - base));
            }
            if (lowestOccupiedL1Address.isPresent() && lowestOccupiedL1Address.getAsLong() < stack.end()) {
                throw new InsufficientMemoryException(
                                "Statically allocated circular buffers in program %d clash with L1 buffers on core range %s."
                                        + " L1 buffer allocated at %d and static circular buffer region ends at %d",
                                program, stack.cores(), lowestOccupiedL1Address.getAsLong(), stack.end())
                        .causedBy(MemoryShortage.at(BufferType.L1, base, end(), allocatedL1.get(), userOf(owner)));
            }
        }
    }

    private MemoryShortage beyondL1(Owner owner, long needed) {
        long size = architecture.l1Size() - base;
        String why = userOf(owner) + " need " + Quantities.size(needed) + " on each core, which has "
                + Quantities.size(size);
        String advice = "make them smaller, or spread the work over more cores";
        return MemoryShortage.ofRegion(
                BufferType.L1, needed, size, List.of(), new MemoryShortage.Region("on each core", why, advice));
    }

    private static String userOf(Owner owner) {
        return "the circular buffers of " + owner;
    }

    /** Returns the first address above all stacks. The runtime names the first stack that clashes; others may reach higher. */
    private long end() {
        return stacks.stream().mapToLong(CircularBufferStack::end).max().orElse(base);
    }

    private static long addressFor(Item item, List<CircularBufferStack> stacks, Architecture architecture, long base) {
        long highest = stacks.stream()
                .filter(stack -> item.cores().ranges().contains(stack.cores()))
                .mapToLong(CircularBufferStack::end)
                .reduce(base, Math::max);
        long address = Rounding.up(highest, architecture.dramAlignment());
        for (CoreRange cores : item.cores().ranges()) {
            for (CircularBufferStack stack : stacks) {
                boolean reachesHigher = !stack.cores().equals(cores) && address < stack.end();
                if (stack.cores().intersects(cores) && !reachesHigher) {
                    stack.mark(address, item.size(), base);
                }
            }
        }
        return address;
    }

    /**
     * A circular buffer to be placed.
     *
     * @param cores the ranges it lies on
     * @param size the bytes on each core
     */
    public record Item(CoreRangeSet cores, long size) {}

    /** A buffer and its address on each of its cores. */
    public record Placed(Item item, long address) {}
}
