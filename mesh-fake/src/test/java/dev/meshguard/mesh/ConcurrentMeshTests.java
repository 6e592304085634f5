package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.report.ForwardingListener;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests many threads that allocate and free memory on one mesh and on its submeshes. */
class ConcurrentMeshTests {

    private static final int THREADS = 8;
    private static final int ROUNDS = 300;
    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
    private final Ttnn ttnn = Ttnn.create(tracker);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));

    @Test
    void runTheSameOperationFromOneCache() throws Exception {
        run(thread -> {
            for (int round = 0; round < ROUNDS / 10; round++) {
                Tensor a = ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
                ttnn.add(a, a).close();
                a.close();
            }
        });

        assertThat(mesh.numProgramCacheEntries()).isOne();
        mesh.disableAndClearProgramCache();
        mesh.close();
        assertThat(LeakCheck.create().examine(tracker.history()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void haveAnExactLedgerOnAMeshAndItsSubmeshesWhenTheyFreedEverything() throws Exception {
        List<MeshDevice> meshes = new ArrayList<>(List.of(mesh));
        for (int column = 0; column < 3; column++) {
            meshes.add(mesh.createSubmesh(MeshShape.of(2, 2), MeshCoordinate.of(0, column)));
        }

        run(thread -> {
            MeshDevice mine = meshes.get(thread % meshes.size());
            Deque<MeshBuffer> held = new ArrayDeque<>();
            for (int round = 0; round < ROUNDS; round++) {
                held.push(mine.allocate(BufferType.DRAM, 2_048));
                if (round % 3 == 2) {
                    held.pop().deallocate();
                    held.pop().deallocate();
                }
            }
            held.forEach(MeshBuffer::deallocate);
        });

        assertThat(mesh.statistics(BufferType.DRAM).totalAllocated()).isZero();
        meshes.subList(1, meshes.size()).forEach(MeshDevice::close);
        mesh.close();
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        long reported = (long) THREADS / 4 * ROUNDS * (8 + 3 * 4);
        assertThat(verdict.isLeakFree()).isTrue();
        assertThat(verdict.hasBalancedReports()).isTrue();
        assertThat(verdict.sum().allocated()).isEqualTo(reported);
        assertThat(verdict.sum().freed()).isEqualTo(reported);
    }

    @Test
    void waitUntilTheHandleOfMemoryIsReported() {
        IntrudingListener listener = new IntrudingListener();
        Ttnn reporting = Ttnn.create(listener);
        MeshDevice shared = reporting.openMeshDevice(MeshShape.of(1, 1));
        listener.mesh = Optional.of(shared);

        reporting.createGlobalSemaphore(shared, CoreRangeSet.of(new CoreRange(0, 0, 0, 0)));

        assertThat(listener.states).containsExactly(Thread.State.WAITING);
    }

    @Test
    void handsOutWhatItsLockGuardsOnlyToThoseWhoHoldIt() {
        MeshDevice mesh = Ttnn.create(AllocationTracker.create()).openMeshDevice(MeshShape.of(1, 1));

        assertThatThrownBy(() -> mesh.context().memory())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The state of a mesh was used without its lock. This is a defect of MeshGuard.");
    }

    /** Calls a mesh in another thread while a handle is reported, until that thread waits or has ended. */
    private static final class IntrudingListener extends ForwardingListener {

        private Optional<MeshDevice> mesh = Optional.empty();
        private final List<Thread.State> states = new ArrayList<>();

        private IntrudingListener() {
            super(AllocationTracker.create());
        }

        @Override
        public void handleReturned(MemoryRequest request, Object handle) {
            super.handleReturned(request, handle);
            mesh.ifPresent(open -> {
                Thread other = new Thread(() -> open.statistics(BufferType.DRAM));
                other.start();
                while (other.getState() != Thread.State.WAITING && other.getState() != Thread.State.TERMINATED) {
                    Thread.onSpinWait();
                }
                states.add(other.getState());
            });
        }

        @Override
        public void allocated(
                MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
            listener.allocated(request, device, type, address, size, ownership);
        }

        @Override
        public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
            listener.freed(release, device, type, address, ownership);
        }
    }

    private interface Work {
        void doOn(int thread) throws Exception;
    }

    /** All threads start together, so that they meet. */
    private static void run(Work work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Callable<Void>> tasks = IntStream.range(0, THREADS)
                .mapToObj(thread -> (Callable<Void>) () -> {
                    start.await();
                    work.doOn(thread);
                    return null;
                })
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        for (Future<Void> done : threads.invokeAll(tasks)) {
            done.get();
        }
        threads.shutdown();
    }
}
