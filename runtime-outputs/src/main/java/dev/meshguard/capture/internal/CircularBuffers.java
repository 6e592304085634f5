package dev.meshguard.capture.internal;

import dev.meshguard.capture.CircularBufferUse;
import dev.meshguard.event.Quantities;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Sums up the circular buffers of each device. */
final class CircularBuffers {

    private static final class Sum {
        private long placed;
        private long borrowed;
        private long current;
        private long currentBorrowed;
        private long peak;
    }

    private final Map<Integer, Sum> sums = new TreeMap<>();

    /** Adds a node that reports circular buffers; returns whether it is one. */
    boolean add(GraphNode node) {
        switch (node.type()) {
            case "circular_buffer_allocate", "dataflow_buffer_allocate", "scratchpad_allocate" -> {
                long size = node.number(GraphNode.Param.SIZE).orElse(0);
                if (node.flag(GraphNode.Param.GLOBALLY_ALLOCATED) || node.flag(GraphNode.Param.BORROWS_MEMORY)) {
                    borrowed(node.device(), size);
                } else {
                    placed(node.device(), size);
                }
                return true;
            }
            case "circular_buffer_deallocate_all" -> {
                endAll();
                return true;
            }
            default -> {
                return false;
            }
        }
    }

    private void placed(int device, long size) {
        Sum sum = sums.computeIfAbsent(device, first -> new Sum());
        sum.placed++;
        sum.current = Quantities.saturatedSum(sum.current, size);
        sum.peak = Math.max(sum.peak, sum.current);
    }

    /** Adds one that lies in the memory of a buffer, which is counted already. */
    private void borrowed(int device, long size) {
        Sum sum = sums.computeIfAbsent(device, first -> new Sum());
        sum.borrowed++;
        sum.currentBorrowed = Quantities.saturatedSum(sum.currentBorrowed, size);
    }

    /** Ends all; the node that reports it names the mesh device, and the others name chips. */
    private void endAll() {
        sums.values().forEach(sum -> {
            sum.current = 0;
            sum.currentBorrowed = 0;
        });
    }

    /** Returns the bytes of a core in memory of their own, on the fullest device. */
    long current() {
        return sums.values().stream().mapToLong(sum -> sum.current).max().orElse(0);
    }

    /** Returns the bytes of a core with those in the memory of a buffer, on the fullest device. */
    long currentWithBorrowed() {
        return sums.values().stream()
                .mapToLong(sum -> Quantities.saturatedSum(sum.current, sum.currentBorrowed))
                .max()
                .orElse(0);
    }

    /** Returns the largest sum of a device. */
    long peak() {
        return sums.values().stream().mapToLong(sum -> sum.peak).max().orElse(0);
    }

    List<CircularBufferUse> uses() {
        return sums.entrySet().stream()
                .map(entry -> new CircularBufferUse(
                        entry.getKey(), entry.getValue().placed, entry.getValue().borrowed, entry.getValue().peak))
                .toList();
    }
}
