package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
import dev.meshguard.benchmarks.recorder.Lane;
import dev.meshguard.benchmarks.recorder.Recorder;
import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a run of a language model from end to end: 83,416 allocations and as many frees.
 *
 * <p>It runs alone, for the comparison with the peers, and on a mesh without hardware together with the work of a test:
 * history, verdict and text.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 8, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch", "--add-opens=java.base/java.nio=ALL-UNNAMED"})
public class LanguageModelBenchmark {

    private static final int DEPTH = 60;
    private static final MeshDeviceOptions OPTIONS =
            MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(30_000_000);
    private static final long PAGE = 2_048;

    /** The recorder of the recorded sequence. */
    @State(Scope.Thread)
    public static class Alone {

        /** What records. */
        @Param({
            "NOTHING",
            "STACK_ONLY",
            "MAP",
            "MAP_WITH_STACK",
            "MESHGUARD",
            "MESHGUARD_ORIGIN",
            "NETTY_PARANOID",
            "ARROW_DEBUG"
        })
        public Contender contender = Contender.NOTHING;

        private final CallDepth bottom = new CallDepth(DEPTH);
        private final Runnable run = this::run;

        private void run() {
            new LanguageModel<>(new Numbered(contender.start())).run();
        }
    }

    /** The listener of the mesh. */
    @State(Scope.Thread)
    public static class OnMesh {

        /** The kinds of listeners of the mesh. */
        public enum Listener {
            /** Nobody. */
            SILENT,
            /** MeshGuard without origins. */
            MESHGUARD,
            /** MeshGuard as it comes. */
            MESHGUARD_ORIGIN
        }

        /** Who listens. */
        @Param
        public Listener listener = Listener.SILENT;

        private CallDepth bottom = new CallDepth(DEPTH);
        private final Runnable run = this::run;
        private String text = "";

        /** Starts from nothing. */
        @Setup
        public void start() {
            bottom = new CallDepth(DEPTH);
        }

        private void run() {
            switch (listener) {
                case SILENT -> onMesh(new SilentListener());
                case MESHGUARD -> judged(OriginCapture.NONE);
                case MESHGUARD_ORIGIN -> judged(OriginCapture.ALLOCATIONS);
            }
        }

        private void judged(OriginCapture capture) {
            AllocationTracker tracker =
                    AllocationTracker.builder().originCapture(capture).build();
            onMesh(tracker);
            text = VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                    .text();
        }

        private static void onMesh(AllocationListener listener) {
            Ttnn ttnn = Ttnn.create(listener);
            MeshDevice mesh = ttnn.openMeshDevice(OPTIONS);
            new LanguageModel<>(new MeshMemory(mesh)).run();
            mesh.disableAndClearProgramCache();
            ttnn.closeMeshDevice(mesh);
        }
    }

    /** The allocations alone, at depth 60. */
    @Benchmark
    public void alone(Alone model) {
        model.bottom.run(model.run);
    }

    /** On a mesh, to the text of the verdict. */
    @Benchmark
    public String onMesh(OnMesh model) {
        model.bottom.run(model.run);
        return model.text;
    }

    /** Buffers of the mesh. */
    private record MeshMemory(MeshDevice mesh) implements LanguageModel.Memory<Buffer> {

        @Override
        public Buffer allocate(int device, BufferType type, String label, long pages) {
            return mesh.allocateOn(
                    device, BufferConfig.of(type, pages * PAGE, PAGE).named(label));
        }

        @Override
        public void free(Buffer buffer) {
            buffer.deallocate();
        }
    }

    /** Buffers as recorders identify them: a device and a number that is reused. */
    private static final class Numbered implements LanguageModel.Memory<Integer> {

        private static final int PER_DEVICE = LanguageModel.MAX_LIVE_PER_DEVICE;

        private final Lane[] lanes = new Lane[LanguageModel.DEVICES];
        private final Deque<Integer>[] unused;

        @SuppressWarnings("unchecked")
        private Numbered(Recorder recorder) {
            unused = (Deque<Integer>[]) new Deque<?>[LanguageModel.DEVICES];
            for (int device = 0; device < LanguageModel.DEVICES; device++) {
                lanes[device] = recorder.lane(device, PER_DEVICE);
                unused[device] = new ArrayDeque<>(PER_DEVICE);
                for (int buffer = 0; buffer < PER_DEVICE; buffer++) {
                    unused[device].add(buffer);
                }
            }
        }

        @Override
        public Integer allocate(int device, BufferType type, String label, long pages) {
            int buffer = unused[device].remove();
            lanes[device].allocate(buffer);
            return device * PER_DEVICE + buffer;
        }

        @Override
        public void free(Integer buffer) {
            int device = buffer / PER_DEVICE;
            lanes[device].free(buffer % PER_DEVICE);
            unused[device].add(buffer % PER_DEVICE);
        }
    }
}
