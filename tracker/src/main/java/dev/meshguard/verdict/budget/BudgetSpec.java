package dev.meshguard.verdict.budget;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.DeviceMemory;
import java.util.EnumSet;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.StringJoiner;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The limits for the use of one memory, on one device or on each.
 *
 * <p>A limit that is not set does not apply. Bytes include circular buffers, which lie outside every allocator: a peak
 * without them can be less than half of the true one. Only the allocator of a mesh knows the largest free block. This
 * limit can be checked for a mesh, but not for a recorded history.
 *
 * <pre>{@code
 * BudgetSpec.of(BufferType.L1).peakBytes(1_310_720).liveBytes(0);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param type the memory
 * @param device the device id; each device by itself if empty
 * @param peakBytes the maximum of bytes in use at once
 * @param liveBytes the maximum of bytes in use at the end
 * @param buffers the maximum of buffers in use at once
 * @param largestFreeBlock the minimum of bytes in the largest free block of a bank
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BudgetSpec(
        BufferType type,
        OptionalInt device,
        OptionalLong peakBytes,
        OptionalLong liveBytes,
        OptionalLong buffers,
        OptionalLong largestFreeBlock) {

    /**
     * Creates a budget.
     *
     * @throws IllegalArgumentException if a limit cannot be kept to or cannot be broken
     */
    public BudgetSpec {
        requireNotNegative("device", device.isPresent() ? OptionalLong.of(device.getAsInt()) : OptionalLong.empty());
        requireNotNegative("peakBytes", peakBytes);
        requireNotNegative("liveBytes", liveBytes);
        requireNotNegative("buffers", buffers);
        requireNotNegative("largestFreeBlock", largestFreeBlock);
    }

    /** Returns a budget without limits for a memory of each device. */
    public static BudgetSpec of(BufferType type) {
        return new BudgetSpec(
                type,
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty());
    }

    /** Returns this budget for one device. */
    public BudgetSpec onDevice(int newDevice) {
        return new BudgetSpec(type, OptionalInt.of(newDevice), peakBytes, liveBytes, buffers, largestFreeBlock);
    }

    /** Returns this budget with a limit for the bytes in use at once. */
    public BudgetSpec peakBytes(long most) {
        return new BudgetSpec(type, device, OptionalLong.of(most), liveBytes, buffers, largestFreeBlock);
    }

    /** Returns this budget with a limit for the bytes in use at the end. */
    public BudgetSpec liveBytes(long most) {
        return new BudgetSpec(type, device, peakBytes, OptionalLong.of(most), buffers, largestFreeBlock);
    }

    /** Returns this budget with a limit for the number of buffers in use at once. */
    public BudgetSpec buffers(long most) {
        return new BudgetSpec(type, device, peakBytes, liveBytes, OptionalLong.of(most), largestFreeBlock);
    }

    /** Returns this budget with the minimum size of the largest free block of a bank, in bytes. */
    public BudgetSpec largestFreeBlock(long least) {
        return new BudgetSpec(type, device, peakBytes, liveBytes, buffers, OptionalLong.of(least));
    }

    /** Returns whether this is a budget for the given memory. */
    public boolean applies(DeviceMemory memory) {
        return type == memory.type() && (device.isEmpty() || device.getAsInt() == memory.device());
    }

    /** Returns whether a limit is set that needs an allocator. */
    public boolean needsAllocator() {
        return largestFreeBlock.isPresent();
    }

    /** Returns the limits that are set. */
    Set<BudgetMetric> limits() {
        Set<BudgetMetric> limits = EnumSet.noneOf(BudgetMetric.class);
        peakBytes.ifPresent(most -> limits.add(BudgetMetric.PEAK_BYTES));
        liveBytes.ifPresent(most -> limits.add(BudgetMetric.LIVE_BYTES));
        buffers.ifPresent(most -> limits.add(BudgetMetric.BUFFERS));
        largestFreeBlock.ifPresent(least -> limits.add(BudgetMetric.LARGEST_FREE_BLOCK));
        return limits;
    }

    /** Returns whether no limit is set, so that nothing can break it. */
    public boolean isWithoutLimit() {
        return limits().isEmpty();
    }

    /** Returns the memory and its limits: {@code L1 of each device: peak at most 1 MiB (1048576 B)}. */
    @Override
    public String toString() {
        StringJoiner limits = new StringJoiner(", ");
        peakBytes.ifPresent(most -> limits.add("peak at most " + Quantities.size(most)));
        liveBytes.ifPresent(most -> limits.add("at the end at most " + Quantities.size(most)));
        buffers.ifPresent(most -> limits.add("at most " + Quantities.count(most, "buffer") + " at once"));
        largestFreeBlock.ifPresent(least -> limits.add("largest free block at least " + Quantities.size(least)));
        return type + " of " + (device.isPresent() ? "device " + device.getAsInt() : "each device")
                + (limits.length() == 0 ? ": no limit" : ": " + limits);
    }

    private static void requireNotNegative(String name, OptionalLong limit) {
        if (limit.isPresent() && limit.getAsLong() < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "A budget has limits of 0 or more: %s = %d was given", name, limit.getAsLong()));
        }
    }
}
