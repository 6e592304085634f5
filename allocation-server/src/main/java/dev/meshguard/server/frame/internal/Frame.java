package dev.meshguard.server.frame.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One decoded frame of MeshGuard's client protocol; {@code docs/protocol.md} has the bytes.
 *
 * <p>Ids are those of the connection; 0 stands for nothing.
 */
public sealed interface Frame {

    /** The first frame of a connection: the versions that the client knows, and its process. */
    record Hello(int minVersion, int maxVersion, long process, String program) implements Frame {}

    /** A text that other frames name by its id. */
    record Text(int id, String text) implements Frame {}

    /** A call stack, innermost line first. */
    record Stack(int id, List<Line> lines) implements Frame {
        /** Creates a frame with its own copy of the lines. */
        public Stack {
            lines = List.copyOf(lines);
        }
    }

    /** One line of a call stack; file and function are texts. */
    record Line(int file, int function, int number) {}

    /** An owner, and who frees what it owns; its name is a text. */
    record OwnerDefinition(int id, Owner.Kind kind, BufferLifetime lifetime, int name) implements Frame {}

    /** A frame with a sequence number: a gap in the numbers means lost reports. */
    sealed interface Report extends Frame {

        /** Returns the sequence number, from 1. */
        long sequence();
    }

    /** The memory that a report is about. */
    record Memory(
            BufferType type,
            long address,
            int device,
            int mesh,
            int owner,
            Ownership ownership,
            @Nullable AllocatorId allocator,
            boolean isCircularBuffer,
            boolean isView) {}

    /** Memory was allocated. */
    record Allocation(long sequence, Memory memory, long request, long size, long extent, int label, int stack)
            implements Report {}

    /** Memory was freed, or the runtime ignored the call that frees it. */
    record Free(long sequence, Memory memory, Optional<IgnoredFreeReason> ignored, int stack) implements Report {}

    /** A phase began; 0 ends the innermost one. */
    record PhaseChange(long sequence, int name) implements Report {}

    /** A cache keeps an owner from now on. */
    record OwnerCached(long sequence, int owner, int cache) implements Report {}

    /** An owner ended. */
    record OwnerEnded(long sequence, int owner) implements Report {}

    /** A mesh was opened. */
    record MeshOpened(long sequence, int mesh, int name, int parent, int busiestDevice, List<Integer> devices)
            implements Report {
        /** Creates a frame with its own copy of the devices. */
        public MeshOpened {
            devices = List.copyOf(devices);
        }
    }

    /** The close of a mesh began. */
    record MeshClosing(long sequence, int mesh) implements Report {}

    /** A mesh was closed. */
    record MeshClosed(long sequence, int mesh) implements Report {}

    /**
     * The addresses that an allocator lists as allocated in one memory of one device.
     *
     * @param isPart whether the next frame continues the same snapshot
     */
    record State(
            long sequence,
            int mesh,
            int device,
            Moment moment,
            BufferType type,
            @Nullable AllocatorId allocator,
            boolean isPart,
            List<Long> addresses)
            implements Report {
        /** Creates a frame with its own copy of the addresses. */
        public State {
            addresses = List.copyOf(addresses);
        }
    }

    /** A report with a value that this server does not know. */
    record Rejected(long sequence, String reason) implements Report {}

    /** The last frame of a client that ends in order, with the number of its last report. */
    record Bye(long lastSequence) implements Frame {}

    /** A frame of a type that this server does not know. */
    record Unknown(int type) implements Frame {}
}
