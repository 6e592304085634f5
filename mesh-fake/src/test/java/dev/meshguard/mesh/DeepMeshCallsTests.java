package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Code under test may call a mesh until its stack ends. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class DeepMeshCallsTests {

    private static final int RECURSIONS = 200;
    private static final int FRAMES_PER_CALL = 16;
    private static final TensorShape TILE = TensorShape.of(32, 32);

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
    private final Ttnn ttnn = Ttnn.create(tracker);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(1, 2));

    @Test
    void callsThatFailAllocateAndFreeNothing() throws InterruptedException {
        long allocated = allocatedBytes();
        for (int stack = 0; stack < RECURSIONS; stack++) {
            List<Tensor> got = new ArrayList<>(10_000);
            deep(stack, () -> got.add(ttnn.empty(TILE, DataType.BFLOAT16, mesh)));

            assertThat(tracker.liveBuffers()).as("stack %d", stack).isEqualTo(2L * got.size());

            deep(stack, () -> {
                if (!got.isEmpty()) {
                    ttnn.deallocate(got.get(got.size() - 1));
                    got.remove(got.size() - 1);
                }
            });
            got.stream().filter(Tensor::isAllocated).forEach(ttnn::deallocate);

            assertThat(tracker.liveBuffers()).as("stack %d", stack).isZero();
            assertThat(allocatedBytes()).isEqualTo(allocated);
        }
        assertThat(tracker.history().lostReports()).isEmpty();
    }

    private long allocatedBytes() {
        return mesh.statistics(BufferType.DRAM).totalAllocated();
    }

    /** Makes calls at growing depth until the stack ends. */
    private static void deep(int stack, Runnable call) throws InterruptedException {
        Thread thread = new Thread(null, () -> recurseToTheEnd(call), "deep", 300_000 + stack * 1_117L);
        thread.start();
        thread.join();
    }

    private static void recurseToTheEnd(Runnable call) {
        try {
            assertThat(recurse(0, call)).isNegative();
        } catch (StackOverflowError expected) {
            assertThat(expected).hasNoCause();
        }
    }

    private static int recurse(int depth, Runnable call) {
        if (depth % FRAMES_PER_CALL == 0) {
            call.run();
        }
        return depth < 0 ? depth : recurse(depth + 1, call) + 1;
    }
}
