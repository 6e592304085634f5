package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.allocator.Rounding;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.runtime.Architecture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Where a program's circular buffers lie in L1.
 *
 * <p>They are stacked from the bottom of L1, outside the allocator: two programs use the same addresses, and nothing is reserved
 * between them. Buffers on different cores are stacked separately unless the cores intersect. Immutable. Source:
 * {@code ProgramImpl::allocate_circular_buffers} and {@code validate_circular_buffer_region} in
 * {@code tt_metal/impl/program/program.cpp}.
 */
final class CircularBufferLayout {

    private final int program;
    private final Architecture architecture;
    private final List<Long> addresses;
    private final Map<CoreRange, Long> regionEnds;

    private CircularBufferLayout(
            int program, Architecture architecture, List<Long> addresses, Map<CoreRange, Long> regionEnds) {
        this.program = program;
        this.architecture = architecture;
        this.addresses = List.copyOf(addresses);
        this.regionEnds = regionEnds;
    }

    /**
     * Places circular buffers one after the other.
     *
     * @param program the number of the program, for error texts
     * @param grid the cores that compute
     * @param base the first address of L1 that may be used
     * @throws MeshRuntimeException if a buffer asks for cores that do not exist
     */
    static CircularBufferLayout of(
            int program, List<CircularBufferConfig> buffers, Architecture architecture, CoreRange grid, long base) {
        Map<CoreRange, Long> regionEnds = new LinkedHashMap<>();
        for (CircularBufferConfig buffer : buffers) {
            CoreRange cores = buffer.cores().orElse(grid);
            requireWithin(grid, cores, program);
            regionEnds.put(cores, base);
        }
        List<Long> addresses = new ArrayList<>();
        for (CircularBufferConfig buffer : buffers) {
            CoreRange cores = buffer.cores().orElse(grid);
            long address = Rounding.up(regionEnds.getOrDefault(cores, base), architecture.dramAlignment());
            addresses.add(address);
            long end = address + buffer.size();
            regionEnds.replaceAll((other, otherEnd) -> other.intersects(cores) ? Math.max(end, otherEnd) : otherEnd);
        }
        return new CircularBufferLayout(program, architecture, addresses, regionEnds);
    }

    /** The addresses, in the order in which the buffers were asked for. */
    List<Long> addresses() {
        return addresses;
    }

    /**
     * Checks that the buffers do not lie where L1 buffers are now.
     *
     * @throws MeshRuntimeException if they do, or if they do not fit into L1 at all
     */
    void requireRoom(OptionalLong lowestOccupiedL1Address) {
        regionEnds.forEach((cores, end) -> {
            if (end > architecture.l1Size()) {
                throw new MeshRuntimeException(String.format(
                        Locale.ROOT,
                        "Statically allocated circular buffers on core range %s grow to %d B"
                                + " which is beyond max L1 size of %d B",
                        cores,
                        end,
                        architecture.l1Size()));
            }
            if (lowestOccupiedL1Address.isPresent() && lowestOccupiedL1Address.getAsLong() < end) {
                throw new MeshRuntimeException(String.format(
                        Locale.ROOT,
                        "Statically allocated circular buffers in program %d clash with L1 buffers on core range %s."
                                + " L1 buffer allocated at %d and static circular buffer region ends at %d",
                        program,
                        cores,
                        lowestOccupiedL1Address.getAsLong(),
                        end));
            }
        });
    }

    private static void requireWithin(CoreRange grid, CoreRange cores, int program) {
        if (cores.end().x() > grid.end().x() || cores.end().y() > grid.end().y()) {
            throw new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "Circular buffer core range %s in program %d exceeds device compute grid (%dx%d)",
                    cores,
                    program,
                    grid.end().x() + 1,
                    grid.end().y() + 1));
        }
    }
}
