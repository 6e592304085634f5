package dev.meshguard.verification.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verification.corpus.faults.RunFaults;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs random programs, some of which leak, with random faults. The verdict never clears a program that leaks, and never
 * reports a leak in one that does not.
 *
 * <p>The ground truth comes from the allocator itself when the close begins. The verdict may say that something is unknown.
 */
class HonestVerdictTests {

    private static final int RUNS = 500;

    @ParameterizedTest
    @EnumSource
    void neverClearsALeakNorInventsOne(ReportingModel model) {
        long firstSeed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long seed = firstSeed; seed < firstSeed + RUNS; seed++) {
            RunFaults plan = RunFaults.random(seed);
            AllocationTracker tracker = AllocationTracker.create();
            Ttnn ttnn = Ttnn.builder(plan.between(tracker))
                    .systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), BufferType.DRAM, 4_096)
                    .reporting(model)
                    .faults(plan.ofRuntime())
                    .build();

            boolean leaks = new Program(seed, ttnn).run();

            Set<Outcome> honest = leaks
                    ? EnumSet.of(Outcome.LEAKED, Outcome.INCONCLUSIVE)
                    : EnumSet.of(Outcome.LEAK_FREE, Outcome.MISREPORTED, Outcome.INCONCLUSIVE);
            assertThat(LeakCheck.create().examine(tracker.history()).outcome())
                    .as("-Dmeshguard.seed=%d, %s", seed, plan)
                    .isIn(honest);
        }
    }

    /**
     * A program that handles the errors of the runtime, and does not free some memory in every second run. It stops when its
     * mesh is closed during its run.
     */
    private static final class Program {

        private static final TensorShape SHAPE = TensorShape.of(32, 32);

        private final Random random;
        private final Ttnn ttnn;
        private final boolean forgets;

        Program(long seed, Ttnn ttnn) {
            this.random = new Random(seed);
            this.ttnn = ttnn;
            this.forgets = random.nextBoolean();
        }

        /** Returns whether it leaks. */
        boolean run() {
            MeshDevice mesh;
            try {
                mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));
            } catch (MeshRuntimeException notOpened) {
                return false;
            }
            List<Tensor> tensors = new ArrayList<>();
            List<MeshBuffer> buffers = new ArrayList<>();
            for (int step = 0; step < 12; step++) {
                try {
                    step(mesh, tensors, buffers);
                } catch (MeshRuntimeException handled) {
                    step += mesh.isOpen() ? 0 : 12;
                }
            }
            if (!mesh.isOpen()) {
                return !tensors.isEmpty() || !buffers.isEmpty() || mesh.numProgramCacheEntries() > 0;
            }
            boolean leaks = forgets && !tensors.isEmpty();
            tensors.stream().skip(leaks ? 1 : 0).forEach(Tensor::close);
            buffers.forEach(MeshBuffer::close);
            mesh.disableAndClearProgramCache();
            mesh.close();
            return leaks;
        }

        private void step(MeshDevice mesh, List<Tensor> tensors, List<MeshBuffer> buffers) {
            switch (random.nextInt(6)) {
                case 0, 1 -> tensors.add(ttnn.empty(SHAPE, DataType.BFLOAT16, mesh));
                case 2 ->
                    buffers.add(mesh.allocate(
                            BufferConfig.of(random.nextBoolean() ? BufferType.DRAM : BufferType.L1, 2_048, 2_048)));
                case 3 -> {
                    if (!tensors.isEmpty()) {
                        tensors.add(ttnn.add(tensors.get(0), tensors.get(0)));
                    }
                }
                case 4 -> {
                    if (!tensors.isEmpty()) {
                        tensors.remove(random.nextInt(tensors.size())).close();
                    }
                }
                default -> {
                    if (!buffers.isEmpty()) {
                        buffers.remove(random.nextInt(buffers.size())).close();
                    }
                }
            }
        }
    }
}
