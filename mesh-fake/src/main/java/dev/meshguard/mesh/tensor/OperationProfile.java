package dev.meshguard.mesh.tensor;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The resources that the program of one operation needs on a device, as fixed results of the kernel compiler.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param operation the name of the operation
 * @param kernelBinaryPages the pages, of 2,048 bytes each, of its kernel binary; 0 for a program without kernels
 * @param circularBufferTiles the tiles of each of its circular buffers
 * @param traceSize the bytes of commands that a captured trace keeps for one execution, if known; otherwise the code that
 *     captures the operation must set the size of the whole trace
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record OperationProfile(
        String operation, int kernelBinaryPages, List<Integer> circularBufferTiles, OptionalLong traceSize) {

    /**
     * Creates a profile with its own copy of the list.
     *
     * @throws IllegalArgumentException if the name is blank, a number is negative, or a circular buffer is empty
     */
    public OperationProfile {
        circularBufferTiles = List.copyOf(circularBufferTiles);
        if (operation.isBlank()) {
            throw new IllegalArgumentException("An operation profile needs the operation's name: it is blank");
        }
        if (kernelBinaryPages < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %d as the kernel binary pages of %s: it must be 0 or more",
                    kernelBinaryPages,
                    operation));
        }
        if (traceSize.isPresent() && traceSize.getAsLong() < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot use %d B as the trace size of %s: it must be 0 or more",
                    traceSize.getAsLong(),
                    operation));
        }
        for (int tiles : circularBufferTiles) {
            if (tiles < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "A circular buffer of %s cannot hold %d tiles: it holds at least one",
                        operation,
                        tiles));
            }
        }
    }

    /** Returns a profile from the pages of the kernel binary and the tiles of each circular buffer. */
    public static OperationProfile of(String operation, int kernelBinaryPages, Integer... circularBufferTiles) {
        return new OperationProfile(operation, kernelBinaryPages, List.of(circularBufferTiles), OptionalLong.empty());
    }

    /**
     * Returns this profile with the bytes of commands that a captured trace keeps for one run.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public OperationProfile withTraceSize(long bytes) {
        return new OperationProfile(operation, kernelBinaryPages, circularBufferTiles, OptionalLong.of(bytes));
    }
}
