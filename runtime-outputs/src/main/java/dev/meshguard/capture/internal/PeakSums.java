package dev.meshguard.capture.internal;

import dev.meshguard.capture.PeakMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Sums up the buffers that are allocated at a time, and keeps the largest sums. */
final class PeakSums {

    private static final class Sum {
        private long current;
        private long peak;

        private void add(long bytes) {
            current = Quantities.saturatedSum(current, bytes);
            peak = Math.max(peak, current);
        }
    }

    private static final class DeviceSums {
        private final Sum l1 = new Sum();
        private final Sum dram = new Sum();
        private final Sum l1OfBank = new Sum();
    }

    private final CircularBuffers circularBuffers;
    private final Map<Integer, DeviceSums> devices = new TreeMap<>();
    private long inputs;
    private boolean hasAllBankSizes = true;
    private long peakL1WithCircularBuffers;
    private long peakTotalPerCore;

    PeakSums(CircularBuffers circularBuffers) {
        this.circularBuffers = circularBuffers;
    }

    private DeviceSums of(int device) {
        return devices.computeIfAbsent(device, first -> new DeviceSums());
    }

    /** Adds a buffer; its size in the fullest bank is negative if it is not known. */
    void allocated(int device, BufferType type, long size, long bankSize) {
        DeviceSums sums = of(device);
        if (type.memory() == BufferType.Memory.DRAM) {
            sums.dram.add(size);
        } else if (type.memory() == BufferType.Memory.L1) {
            sums.l1.add(size);
            hasAllBankSizes &= bankSize >= 0;
            sums.l1OfBank.add(Math.max(0, bankSize));
            changed();
        }
    }

    /** Subtracts a buffer that was added with the same values. */
    void freed(int device, BufferType type, long size, long bankSize) {
        DeviceSums sums = of(device);
        if (type.memory() == BufferType.Memory.DRAM) {
            sums.dram.current -= size;
        } else if (type.memory() == BufferType.Memory.L1) {
            sums.l1.current -= size;
            sums.l1OfBank.current -= Math.max(0, bankSize);
        }
    }

    /** Adds a buffer in L1 from before the capture that an operation takes as input. */
    void inputBegan(long size) {
        inputs = Quantities.saturatedSum(inputs, size);
        changed();
    }

    /** Subtracts an input, which was freed or proved to be a buffer of the operation itself. */
    void inputEnded(long size) {
        inputs -= size;
    }

    /** Compares the sums with the peaks, after circular buffers were added too. */
    void changed() {
        long l1 = inputs;
        long l1OfBank = 0;
        for (DeviceSums sums : devices.values()) {
            l1 = Quantities.saturatedSum(l1, sums.l1.current);
            l1OfBank = Math.max(l1OfBank, sums.l1OfBank.current);
        }
        peakL1WithCircularBuffers =
                Math.max(peakL1WithCircularBuffers, Quantities.saturatedSum(l1, circularBuffers.currentWithBorrowed()));
        peakTotalPerCore = Math.max(peakTotalPerCore, Quantities.saturatedSum(l1OfBank, circularBuffers.current()));
    }

    /** Returns the peaks of events. */
    PeakMemory ofEvents() {
        return new PeakMemory(
                devices.entrySet().stream()
                        .map(entry -> new PeakMemory.Device(
                                entry.getKey(), entry.getValue().l1.peak, entry.getValue().dram.peak))
                        .toList(),
                OptionalLong.of(peakL1WithCircularBuffers),
                circularBuffers.peak(),
                l1PerCore(),
                hasAllBankSizes ? OptionalLong.of(peakTotalPerCore) : OptionalLong.empty());
    }

    private OptionalLong l1PerCore() {
        return hasAllBankSizes
                ? OptionalLong.of(devices.values().stream()
                        .mapToLong(sums -> sums.l1OfBank.peak)
                        .max()
                        .orElse(0))
                : OptionalLong.empty();
    }
}
