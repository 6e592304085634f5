package dev.meshguard.tracker.history;

import dev.meshguard.event.BufferType;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A report that does not fit what is already known, with both sides of it.
 *
 * @param kind what does not fit
 * @param event the report
 * @param device the device it names
 * @param type the memory it names
 * @param address the address it names
 * @param generation the life it runs into: who holds the address now, or held it last; empty if nobody ever did
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

    /** The ways in which a report may not fit. */
    public enum Kind {
        /** A free was reported for an address whose buffer was freed before. */
        DOUBLE_FREE("double free", true),
        /** A free was reported for an address at which nothing was ever reported; or not by the mesh that it names. */
        UNKNOWN_FREE("free of an unknown address", true),
        /** An allocator held memory that no report mentions, and gave it back: found by a verdict, in the readings. */
        NEVER_REPORTED("memory that no report mentions", true),
        /** The code under test freed a buffer twice; the runtime ignored the second. */
        IGNORED_DOUBLE_FREE("second free, ignored by the runtime", false),
        /** The code under test freed an address at which no buffer starts; the runtime ignored it. */
        IGNORED_UNKNOWN_FREE("free of an unknown address, ignored by the runtime", false),
        /** The code under test freed a buffer of a closed device; the runtime ignored it. */
        FREE_AFTER_CLOSE("free after close, ignored by the runtime", false),
        /** A buffer was freed after its device or its mesh had been closed, and the free was reported all the same. */
        FREE_REPORTED_AFTER_CLOSE("free after close", false),
        /** A buffer was reported at a live address with another size. */
        SIZE_CHANGE("other size at a live address", false),
        /** A buffer was reported at an address where a buffer of another type of the same memory is live. */
        TYPE_CHANGE("other type at a live address", false),
        /** A buffer was reported over a part of a live buffer. */
        OVERLAP("overlap with a live buffer", false),
        /**
         * A buffer was reported in memory of which another allocator over the same device holds a live one. Each mesh, each device
         * and each sub-device has an allocator of its own, and none knows of the others, so two reserve the same addresses. On
         * hardware each buffer overwrites what the other wrote. The books are right all the same: they are two buffers.
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

        /** Returns whether the books cannot balance because of it: a free was counted that nothing answers to. */
        public boolean unbalancesLedger() {
            return unbalancing;
        }
    }
}
