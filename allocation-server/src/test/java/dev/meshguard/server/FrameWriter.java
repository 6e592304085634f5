package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes the bytes of frames, from docs/protocol.md and not from the decoder. */
final class FrameWriter {

    static final int OWNING = 1;
    static final int NON_OWNING = 2;
    static final int CIRCULAR_BUFFER = 1;
    static final int VIEW = 2;

    /** The memory that a report is about; changed copies name more of it. */
    record Memory(int type, long address, int device, int mesh, int owner, int ownership, int allocator, int flags) {

        static Memory dram(int device, long address) {
            return new Memory(BufferType.DRAM.ordinal(), address, device, 0, 0, 0, 0, 0);
        }

        static Memory l1(int device, long address) {
            return new Memory(BufferType.L1.ordinal(), address, device, 0, 0, 0, 0, 0);
        }

        Memory ofType(int newType) {
            return new Memory(newType, address, device, mesh, owner, ownership, allocator, flags);
        }

        Memory onMesh(int newMesh) {
            return new Memory(type, address, device, newMesh, owner, ownership, allocator, flags);
        }

        Memory ownedBy(int newOwner) {
            return new Memory(type, address, device, mesh, newOwner, ownership, allocator, flags);
        }

        Memory with(int newOwnership) {
            return new Memory(type, address, device, mesh, owner, newOwnership, allocator, flags);
        }

        Memory flagged(int newFlags) {
            return new Memory(type, address, device, mesh, owner, ownership, allocator, newFlags);
        }
    }

    /** The properties of an allocation besides its memory. */
    record Details(long request, long size, long extent, int label, int stack) {

        static Details of(long size) {
            return new Details(0, size, 0, 0, 0);
        }

        Details inRequest(long number) {
            return new Details(number, size, extent, label, stack);
        }

        Details labelled(int newLabel) {
            return new Details(request, size, extent, newLabel, stack);
        }

        Details at(int newStack) {
            return new Details(request, size, extent, label, newStack);
        }
    }

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long sequence;

    /** Returns what a client of a process sends first. */
    static FrameWriter hello(long process) {
        return new FrameWriter().magic().hello(1, 1, process, "program");
    }

    FrameWriter magic() {
        bytes.writeBytes("MESHGRD1".getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    FrameWriter hello(int min, int max, long process, String program) {
        byte[] name = program.getBytes(StandardCharsets.UTF_8);
        return frame(
                1,
                fields(16 + name.length)
                        .putShort((short) min)
                        .putShort((short) max)
                        .putInt(0)
                        .putLong(process)
                        .put(name));
    }

    FrameWriter text(int id, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return frame(3, fields(4 + utf8.length).putInt(id).put(utf8));
    }

    /** Defines a call stack of one line. */
    FrameWriter stack(int id, int file, int function, int line) {
        return frame(
                4,
                fields(20)
                        .putInt(id)
                        .putShort((short) 1)
                        .putShort((short) 0)
                        .putInt(file)
                        .putInt(function)
                        .putInt(line));
    }

    FrameWriter owner(int id, int kind, int lifetime, int name) {
        return frame(
                5,
                fields(12)
                        .putInt(id)
                        .put((byte) kind)
                        .put((byte) lifetime)
                        .putShort((short) 0)
                        .putInt(name));
    }

    FrameWriter allocate(Memory memory, long size) {
        return allocate(memory, Details.of(size));
    }

    FrameWriter allocate(Memory memory, Details details) {
        ByteBuffer fields = fields(72)
                .putLong(next())
                .putLong(details.request())
                .putLong(memory.address())
                .putLong(details.size())
                .putLong(details.extent())
                .putInt(memory.device())
                .putInt(memory.mesh())
                .putInt(memory.owner())
                .putInt(details.label())
                .putInt(details.stack());
        return frame(16, memory(fields, memory, memory.ownership()).putInt(0));
    }

    FrameWriter free(Memory memory) {
        return free(memory, 0, 0);
    }

    FrameWriter free(Memory memory, int result, int stack) {
        ByteBuffer fields = fields(48)
                .putLong(next())
                .putLong(memory.address())
                .putInt(memory.device())
                .putInt(memory.mesh())
                .putInt(memory.owner())
                .putInt(stack);
        return frame(17, memory(fields, memory, memory.ownership()).putLong(result));
    }

    private static ByteBuffer memory(ByteBuffer fields, Memory memory, int second) {
        return fields.put((byte) memory.type())
                .put((byte) second)
                .put((byte) memory.allocator())
                .put((byte) memory.flags())
                .putShort((short) 0)
                .putShort((short) 0);
    }

    FrameWriter phase(int name) {
        return numbers(18, name);
    }

    FrameWriter ownerCached(int owner, int cache) {
        return numbers(19, owner, cache);
    }

    FrameWriter ownerEnded(int owner) {
        return numbers(20, owner);
    }

    FrameWriter meshOpened(int mesh, int name, List<Integer> devices) {
        ByteBuffer fields = fields(28 + 4 * devices.size())
                .putLong(next())
                .putInt(mesh)
                .putInt(name)
                .putInt(0)
                .putInt(-1)
                .putInt(devices.size());
        devices.forEach(fields::putInt);
        return frame(21, fields);
    }

    FrameWriter meshClosing(int mesh) {
        return numbers(22, mesh);
    }

    FrameWriter meshClosed(int mesh) {
        return numbers(23, mesh);
    }

    /** Writes what an allocator lists: the mesh, device and type of the memory, at a moment. */
    FrameWriter state(Memory memory, int moment, boolean isPart, long... addresses) {
        ByteBuffer fields = fields(24 + 8 * addresses.length)
                .putLong(next())
                .putInt(memory.mesh())
                .putInt(memory.device());
        memory(fields, memory.flagged(isPart ? 1 : 0), moment);
        for (long address : addresses) {
            fields.putLong(address);
        }
        return frame(24, fields);
    }

    FrameWriter bye() {
        return frame(31, fields(8).putLong(sequence));
    }

    /** Leaves sequence numbers out, as if their reports were lost. */
    FrameWriter skip(long reports) {
        sequence += reports;
        return this;
    }

    private FrameWriter numbers(int type, int... numbers) {
        ByteBuffer fields = fields(Long.BYTES + Integer.BYTES * numbers.length).putLong(next());
        for (int number : numbers) {
            fields.putInt(number);
        }
        return frame(type, fields);
    }

    private long next() {
        sequence++;
        return sequence;
    }

    private static ByteBuffer fields(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    FrameWriter frame(int type, ByteBuffer fields) {
        byte[] contents = new byte[fields.capacity()];
        fields.duplicate().rewind().get(contents);
        return frame(type, contents.length, contents);
    }

    FrameWriter frame(int type, int length, byte... fields) {
        bytes.writeBytes(fields(8)
                .putInt(length)
                .put((byte) type)
                .put((byte) 0)
                .putShort((short) 0)
                .array());
        bytes.writeBytes(fields);
        return this;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
