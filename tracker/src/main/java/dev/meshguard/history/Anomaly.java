package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An event that does not fit the events before it, and the buffer that it concerns, if there is one.
 *
 * @param kind the contradiction
 * @param event the report; for memory that nobody reported, the reading of the allocator that shows it
 * @param device the device it names
 * @param type the memory it names
 * @param address the address it names
 * @param generation the generation that it contradicts: the one that holds the address, or held it last; empty if there
 *     never was one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Anomaly(
        Kind kind,
        HistoryEvent event,
        int device,
        BufferType type,
        long address,
        Optional<BufferGeneration> generation) {

    /**
     * Returns the anomaly of a report.
     *
     * @param event an allocation, a free or an ignored free
     */
    static Anomaly of(Kind kind, HistoryEvent event, Optional<BufferGeneration> generation) {
        HistoryEvent.OfMemory report = (HistoryEvent.OfMemory) event;
        return new Anomaly(kind, event, report.device(), report.type(), report.address(), generation);
    }

    /** The ways in which a report can contradict earlier ones. */
    public enum Kind {
        /** A free was reported for an address whose buffer was freed before. */
        DOUBLE_FREE("double free", true),
        /** A free was reported for the address of a live buffer that has another kind, owner or extent, or is no view. */
        MISMATCHED_FREE("free that fits no buffer there", true),
        /** A free was reported for an address without any earlier report, or without one of the mesh that it names. */
        UNKNOWN_FREE("free of an unknown address", true),
        /** The memory of a buffer was freed by its address and is another buffer's when its own handle is freed. */
        FREED_BY_ADDRESS("memory freed by address under its buffer", true),
        /**
         * An allocator held and freed memory that appears in no report; a verdict finds this in the witness snapshots.
         */
        NEVER_REPORTED("memory that no report mentions", true),
        /** The code under test freed a buffer twice; the runtime ignored the second. */
        IGNORED_DOUBLE_FREE("second free, ignored by the runtime", false),
        /** The code under test freed an address at which no buffer starts; the runtime ignored it. */
        IGNORED_UNKNOWN_FREE("free of an unknown address, ignored by the runtime", false),
        /** The code under test freed a buffer of a closed device; the runtime ignored it. */
        FREE_AFTER_CLOSE("free after close, ignored by the runtime", false),
        /** A buffer was freed after its device or its mesh had been closed, and the free was reported nevertheless. */
        FREE_REPORTED_AFTER_CLOSE("free after close", false),
        /** A buffer was reported at a live address with another size. */
        SIZE_CHANGE("other size at a live address", false),
        /** A buffer was reported at an address where a buffer of another type of the same memory is live. */
        TYPE_CHANGE("other type at a live address", false),
        /** A buffer was reported over a part of a live buffer. */
        OVERLAP("overlap with a live buffer", false),
        /**
         * A buffer was reported in memory where another allocator over the same device holds a live one.
         *
         * <p>Each mesh, each device and each sub-device has an allocator of its own. They do not know each other, so
         * two of them can reserve the same addresses. On hardware each buffer overwrites the other. The ledger is right
         * nevertheless: they are two buffers.
         */
        HELD_BY_TWO_ALLOCATORS("memory held by two allocators at a time", false),
        /** A buffer was reported on a device, or by a mesh, that was closed. */
        ALLOCATION_AFTER_CLOSE("allocation after close", false);

        private final String description;
        private final boolean unbalancing;

        Kind(String words, boolean unbalancing) {
            this.description = words;
            this.unbalancing = unbalancing;
        }

        /** Returns the kind as a noun phrase. */
        public String description() {
            return description;
        }

        /** Returns whether it prevents the ledger from balancing: a free was counted that has no allocation. */
        public boolean unbalancesLedger() {
            return unbalancing;
        }
    }
}
