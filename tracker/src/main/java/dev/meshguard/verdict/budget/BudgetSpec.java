package dev.meshguard.verdict.budget;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import dev.meshguard.verdict.DeviceMemory;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
 * @param limits the limits that are set, in bytes or buffers: a minimum of the largest free block, else a maximum
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BudgetSpec(BufferType type, OptionalInt device, Map<BudgetMetric, Long> limits) {

    /**
     * Creates a budget with its own copy of the limits.
     *
     * @throws IllegalArgumentException if a limit cannot be kept to or cannot be broken
     */
    public BudgetSpec {
        limits = Collections.unmodifiableMap(new TreeMap<>(limits));
        device.ifPresent(id -> requireNotNegative("device", id));
        limits.forEach((metric, limit) -> requireNotNegative(metric.limit, limit));
    }

    /** Returns a budget without limits for a memory of each device. */
    public static BudgetSpec of(BufferType type) {
        return new BudgetSpec(type, OptionalInt.empty(), Map.of());
    }

    /** Returns this budget for one device. */
    public BudgetSpec onDevice(int newDevice) {
        return new BudgetSpec(type, OptionalInt.of(newDevice), limits);
    }

    /** Returns this budget with a limit for the bytes in use at once. */
    public BudgetSpec peakBytes(long most) {
        return with(BudgetMetric.PEAK_BYTES, most);
    }

    /** Returns this budget with a limit for the bytes in use at the end. */
    public BudgetSpec liveBytes(long most) {
        return with(BudgetMetric.LIVE_BYTES, most);
    }

    /** Returns this budget with a limit for the number of buffers in use at once. */
    public BudgetSpec buffers(long most) {
        return with(BudgetMetric.BUFFERS, most);
    }

    /** Returns this budget with the minimum size of the largest free block of a bank, in bytes. */
    public BudgetSpec largestFreeBlock(long least) {
        return with(BudgetMetric.LARGEST_FREE_BLOCK, least);
    }

    private BudgetSpec with(BudgetMetric metric, long limit) {
        Map<BudgetMetric, Long> all = new TreeMap<>(limits);
        all.put(metric, limit);
        return new BudgetSpec(type, device, all);
    }

    /** Returns the limit of a quantity, if it is set. */
    public OptionalLong limit(BudgetMetric metric) {
        Long limit = limits.get(metric);
        return limit == null ? OptionalLong.empty() : OptionalLong.of(limit);
    }

    /** Returns whether this is a budget for the given memory. */
    public boolean applies(DeviceMemory memory) {
        return type == memory.type() && (device.isEmpty() || device.getAsInt() == memory.device());
    }

    /** Returns whether a limit is set that needs an allocator. */
    public boolean needsAllocator() {
        return limits.containsKey(BudgetMetric.LARGEST_FREE_BLOCK);
    }

    /** Returns whether no limit is set, so that nothing can break it. */
    public boolean isWithoutLimit() {
        return limits.isEmpty();
    }

    /** Returns the memory and its limits: {@code L1 of each device: peak at most 1 MiB (1048576 B)}. */
    @Override
    public String toString() {
        String all = limits.entrySet().stream()
                .map(limit -> limit.getKey().description(limit.getValue()))
                .collect(Collectors.joining(", "));
        return type + " of " + (device.isPresent() ? "device " + device.getAsInt() : "each device") + ": "
                + (all.isEmpty() ? "no limit" : all);
    }

    private static void requireNotNegative(String name, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("A budget has limits of 0 or more: %s = %d was given", name, limit));
        }
    }
}
