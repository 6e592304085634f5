package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.dispatch.CommandQueue;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.process.RuntimeProcess;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.text.InvariantText;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the operations of {@code ttnn} on one mesh: allocates their results and runs their programs. */
final class Operations {

    private static final Logger logger = DetailLoggers.of(Ttnn.class);

    private final MeshDevice mesh;
    private final ProgramCache programCache;

    Operations(MeshDevice mesh, ProgramCache programCache) {
        this.mesh = mesh;
        this.programCache = programCache;
    }

    /**
     * Returns the mesh of the inputs of an operation.
     *
     * @throws dev.meshguard.mesh.allocator.MeshRuntimeException if one was freed
     * @throws IllegalArgumentException if there is none, or they lie on different meshes
     */
    static MeshDevice meshOf(String operation, Tensor... inputs) {
        if (inputs.length == 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("Cannot run %s without a tensor: its mesh is that of its inputs", operation));
        }
        requireAllocated(operation, inputs);
        MeshDevice mesh = inputs[0].buffer().device();
        for (Tensor input : inputs) {
            MeshDevice other = input.buffer().device();
            if (other != mesh) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot run %s on tensors of mesh %d and mesh %d: all inputs must lie on the same mesh",
                        operation, mesh.id(), other.id()));
            }
        }
        return mesh;
    }

    /** Creates the result of an operation and runs its programs; without them there is no result. */
    Tensor launch(OperationProfile operation, TensorSpec result, Tensor... inputs) {
        ProgramCache.Key key = ProgramCache.Key.of(
                operation,
                Stream.concat(Stream.of(result), Arrays.stream(inputs).map(Tensor::spec)));
        try (MeshLock held = mesh.context().acquireOpen()) {
            programCache.requireCompilable(key);
            Tensor launched = launchInto(
                    mesh.allocateTensor(result), key, inputs[0].dataType().tileSize());
            CommandQueue queue = mesh.queues().queue(0);
            for (Tensor input : inputs) {
                queue.reads(input.buffer().allocation());
            }
            queue.writes(launched.buffer().allocation());
            return launched;
        }
    }

    /** Moves a tensor that nobody shares; see {@link Ttnn#reallocate(Tensor, BufferType)}. Callers hold the lock. */
    Tensor move(Tensor tensor, BufferType memory) {
        long address = tensor.address();
        Allocation source = tensor.buffer().allocation();
        List<MemoryRequest> read = mesh.queues().requestsAt(source);
        mesh.queues().readsNow(source); // The tensor may stay where it is, and then nothing is recorded.
        tensor.deallocate();
        TensorSpec target = tensor.spec().in(memory);
        Tensor moved = mesh.allocateTensor(target);
        if (memory == tensor.spec().memory() && moved.address() == address) {
            logger.debug(
                    "WARNING: No space to move the tensor. Move op's input address and output address are equal: {}",
                    address);
            return moved;
        }
        CommandQueue queue = mesh.queues().queue(0);
        queue.recordsRead(read);
        queue.writes(moved.buffer().allocation());
        return mesh.context()
                .process()
                .settings()
                .findProfile("move")
                .map(profile -> launchInto(
                        moved,
                        ProgramCache.Key.of(profile, Stream.of(target, tensor.spec())),
                        tensor.dataType().tileSize()))
                .orElse(moved);
    }

    /** Runs the programs of an operation whose result exists, and frees the result if they fail. */
    private Tensor launchInto(Tensor result, ProgramCache.Key key, int tileSize) {
        OperationProfile operation = key.operation();
        Runnable launch = () -> programCache.run(key, () -> compile(operation, tileSize));
        AllOrNothing.run(() -> mesh.operate(operation.operation(), mesh.deviceIds(), launch), () -> discard(result));
        return result;
    }

    /**
     * Frees the result of a failed operation. A strict runtime does not free memory of a mesh that was closed meanwhile; the
     * operation's own error describes that.
     */
    private static void discard(Tensor result) {
        try {
            result.close();
        } catch (BufferMisuseException closedMeanwhile) {
            logger.debug("The result of an operation outlived its mesh", closedMeanwhile);
        }
    }

    private MeshWorkload compile(OperationProfile profile, int tileSize) {
        RuntimeProcess process = mesh.context().process();
        Program program = new Program(process.nextProgramId(), profile.operation(), process.architecture())
                .addKernel(profile.kernelBinaryPages());
        profile.traceSize().ifPresent(program::setTraceSize);
        for (int tiles : profile.circularBufferTiles()) {
            program.addCircularBuffer(CircularBufferConfig.of((long) tiles * tileSize));
        }
        MeshWorkload workload = new MeshWorkload(process::nextProgramId).addProgram(program);
        workload.allocate(profile.programBuffers(), program, mesh);
        return workload;
    }

    /** The operation layer names every input that was freed; the first one that is touched fails. */
    private static void requireAllocated(String operation, Tensor... inputs) {
        Map<Tensor, List<String>> places = new LinkedHashMap<>();
        for (int index = 0; index < inputs.length; index++) {
            if (!inputs[index].isAllocated()) {
                LoggerFactory.getLogger(Ttnn.class).warn("Tensor at index {} is not allocated", index);
                places.computeIfAbsent(inputs[index], unused -> new ArrayList<>())
                        .add(Integer.toString(index));
            }
        }
        if (places.isEmpty()) {
            return;
        }
        StringBuilder message = new StringBuilder(Tensor.NOT_ALLOCATED);
        places.forEach((tensor, indices) -> message.append(InvariantText.of(
                "\n%s %s of %s: %s",
                indices.size() == 1 ? "Input" : "Inputs", String.join(" and ", indices), operation, tensor.state())));
        throw places.keySet().iterator().next().unusable(message.toString());
    }
}
