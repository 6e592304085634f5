package dev.meshguard.mesh.tensor;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The resources that the program of one operation needs on a device, as fixed results of the kernel compiler.
 *
 * <p>A program may also own buffers, which it allocates when it is compiled and keeps as long as it is in the program cache:
 * the configuration of a convolution, the semaphores of a collective. The cache has one program for each shape of the inputs.
 *
 * <pre>{@code
 * OperationProfile convolution = OperationProfile.of("conv2d", 8, 2, 2).withProgramBuffers(4, "halo config", L1_SMALL, 256);
 * OperationProfile collective = OperationProfile.of("all_reduce", 4).withGlobalSemaphores(8);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param operation the name of the operation
 * @param kernelBinaryPages the pages, of 2,048 bytes each, of its kernel binary; 0 for a program without kernels
 * @param circularBufferTiles the tiles of each of its circular buffers
 * @param traceSize the bytes of commands that a captured trace keeps for one execution, if known; otherwise the code that
 *     captures the operation must set the size of the whole trace
 * @param programBuffers the buffers that its program owns, in the order in which they are allocated
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record OperationProfile(
        String operation,
        int kernelBinaryPages,
        List<Integer> circularBufferTiles,
        OptionalLong traceSize,
        List<ProgramBuffer> programBuffers) {

    private static final long SEMAPHORE_SIZE = 4;

    /**
     * A buffer that a program owns, with the same bytes on each compute core.
     *
     * @param name the label of the buffer in reports
     * @param type the memory: L1 or L1_SMALL
     * @param bytesPerCore the bytes on each core
     */
    public record ProgramBuffer(String name, BufferType type, long bytesPerCore) {

        /**
         * Creates a description.
         *
         * @throws IllegalArgumentException if the memory is neither L1 nor L1_SMALL, or a core has less than a byte
         */
        public ProgramBuffer {
            if (type != BufferType.L1 && type != BufferType.L1_SMALL) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot keep %s of a program in %s: it lies on the compute cores, in L1 or L1_SMALL",
                        Quantities.quoted(name), type));
            }
            if (bytesPerCore < 1) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot keep %s of a program in %d B of each core: it has at least 1 B",
                        Quantities.quoted(name), bytesPerCore));
            }
        }
    }

    /**
     * Creates a profile with its own copies of the lists.
     *
     * @throws IllegalArgumentException if the name is blank, a number is negative, or a circular buffer is empty
     */
    public OperationProfile {
        circularBufferTiles = List.copyOf(circularBufferTiles);
        programBuffers = List.copyOf(programBuffers);
        if (operation.isBlank()) {
            throw new IllegalArgumentException("An operation profile needs the operation's name: it is blank");
        }
        if (kernelBinaryPages < 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %d as the kernel binary pages of %s: it must be 0 or more",
                    kernelBinaryPages, operation));
        }
        if (traceSize.isPresent() && traceSize.getAsLong() < 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use %d B as the trace size of %s: it must be 0 or more", traceSize.getAsLong(), operation));
        }
        for (int tiles : circularBufferTiles) {
            if (tiles < 1) {
                throw new IllegalArgumentException(InvariantText.of(
                        "A circular buffer of %s cannot hold %d tiles: it holds at least one", operation, tiles));
            }
        }
    }

    /** Returns a profile from the pages of the kernel binary and the tiles of each circular buffer. */
    public static OperationProfile of(String operation, int kernelBinaryPages, Integer... circularBufferTiles) {
        return new OperationProfile(
                operation, kernelBinaryPages, List.of(circularBufferTiles), OptionalLong.empty(), List.of());
    }

    /**
     * Returns this profile with the bytes of commands that a captured trace keeps for one run.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public OperationProfile withTraceSize(long bytes) {
        return new OperationProfile(
                operation, kernelBinaryPages, circularBufferTiles, OptionalLong.of(bytes), programBuffers);
    }

    /**
     * Returns this profile with more buffers that its program owns, all alike.
     *
     * @param number how many
     * @param name the label of each in reports, for example {@code halo config}
     * @param type the memory: L1 or L1_SMALL
     * @param bytesPerCore the bytes of each on each compute core
     * @throws IllegalArgumentException if the number is not positive, the memory is neither L1 nor L1_SMALL, or a core has less
     *     than a byte
     */
    public OperationProfile withProgramBuffers(int number, String name, BufferType type, long bytesPerCore) {
        if (number < 1) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot add %d program buffers to %s: add at least one", number, operation));
        }
        List<ProgramBuffer> more = new ArrayList<>(programBuffers);
        more.addAll(Collections.nCopies(number, new ProgramBuffer(name, type, bytesPerCore)));
        return new OperationProfile(operation, kernelBinaryPages, circularBufferTiles, traceSize, more);
    }

    /**
     * Returns this profile with global semaphores that its program owns: 4 bytes in the L1 of each compute core.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public OperationProfile withGlobalSemaphores(int number) {
        return withProgramBuffers(number, "global semaphore", BufferType.L1, SEMAPHORE_SIZE);
    }
}
