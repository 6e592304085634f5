package dev.meshguard.mesh.internal.program;

import dev.meshguard.mesh.buffer.CoreRange;
import java.util.Locale;

/**
 * The texts of the runtime about programs and their circular buffers, verbatim.
 *
 * <p>Sources: {@code tt_metal/impl/program/program.cpp}, {@code tt_metal/distributed/mesh_workload.cpp}, {@code
 * tt_metal/impl/buffers/{circular_buffer,global_semaphore}.cpp} and
 * {@code ttnn/api/ttnn/device_operation.hpp}.
 */
public final class ProgramMessages {

    public static final String CIRCULAR_BUFFER_NOT_ALLOCATED =
            "Circular buffer has not been allocated, cannot request address at this time!";
    public static final String WORKLOAD_OF_ANOTHER_MESH =
            "Reusing MeshWorkloads across MeshDevices is currently not supported.";

    public static final String SEMAPHORE_NOT_IN_L1 = "Global semaphore can only be created for L1 buffer types";
    public static final String SEMAPHORE_WITHOUT_CORES = "CoreRangeSet must have at least one core";

    private ProgramMessages() {}

    public static String alreadyCompiled(String addition, int program) {
        return String.format(Locale.ROOT, "Cannot add %s to an already compiled program %d", addition, program);
    }

    public static String indexOutOfRange(int index, int most) {
        return String.format(
                Locale.ROOT, "Buffer index (%d) exceeds max number of circular buffers per core (%d)", index, most);
    }

    public static String indexInUse(int index) {
        return String.format(
                Locale.ROOT,
                "Invalid circular buffer index: Cannot add circular buffer at index %d, another circular buffer already exists",
                index);
    }

    static String addressNotAppending(long address, long regionStart, long regionEnd) {
        return String.format(
                Locale.ROOT,
                "Local buffer address %d has to append to last L1 region [%d, %d) or be at a higher address",
                address,
                regionStart,
                regionEnd);
    }

    static String outsideGrid(CoreRange cores, int program, int width, int height) {
        return String.format(
                Locale.ROOT,
                "Circular buffer core range %s in program %d exceeds device compute grid (%dx%d)",
                cores,
                program,
                width,
                height);
    }

    static String beyondL1(CoreRange cores, long regionEnd, long l1Size) {
        return String.format(
                Locale.ROOT,
                "Statically allocated circular buffers on core range %s grow to %d B which is beyond max L1 size of %d B",
                cores,
                regionEnd,
                l1Size);
    }

    static String clashWithL1(int program, CoreRange cores, long lowestL1Address, long regionEnd) {
        return String.format(
                Locale.ROOT,
                "Statically allocated circular buffers in program %d clash with L1 buffers on core range %s."
                        + " L1 buffer allocated at %d and static circular buffer region ends at %d",
                program,
                cores,
                lowestL1Address,
                regionEnd);
    }

    public static String rangesOverlap(String added, String previous) {
        return String.format(
                Locale.ROOT, "Program range %s overlaps with the previously added range %s", added, previous);
    }
}
