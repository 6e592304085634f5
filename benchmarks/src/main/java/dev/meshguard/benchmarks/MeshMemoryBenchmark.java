package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures one mesh buffer on the mesh without hardware, allocated and freed on eight devices, each of which reports both.
 *
 * <p>A tracker grows with each event, so each iteration opens a new mesh, outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MeshMemoryBenchmark.PAIRS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class MeshMemoryBenchmark {

    /** The kinds of listeners of the mesh. */
    public enum Listener {
        /** Nobody: what the mesh itself costs. */
        SILENT,
        /** MeshGuard without origins. */
        MESHGUARD;

        AllocationListener start() {
            return this == SILENT
                    ? new SilentListener()
                    : AllocationTracker.builder()
                            .originCapture(OriginCapture.NONE)
                            .build();
        }
    }

    static final int PAIRS = 1 << 14;

    private static final BufferConfig BUFFER = BufferConfig.of(BufferType.DRAM, 24_576, 2_048);

    /** Who listens. */
    @Param
    public Listener listener = Listener.SILENT;

    /** Live mesh buffers. */
    @Param("1024")
    public int live;

    private final Deque<MeshBuffer> window = new ArrayDeque<>();

    /** Opens a mesh and fills the window. */
    @Setup(Level.Iteration)
    public void start() {
        window.clear();
        MeshDevice mesh = Ttnn.create(listener.start())
                .openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)));
        for (int buffer = 0; buffer < live; buffer++) {
            window.add(mesh.allocate(BUFFER));
        }
    }

    /** One thread; the oldest buffer makes room for a new one. */
    @Benchmark
    public void oneThread() {
        for (int pair = 0; pair < PAIRS; pair++) {
            MeshBuffer oldest = window.remove();
            oldest.deallocate();
            window.add(oldest.device().allocate(BUFFER));
        }
    }
}
