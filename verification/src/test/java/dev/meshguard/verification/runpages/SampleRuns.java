package dev.meshguard.verification.runpages;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.samples.support.LanguageModelRun;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * The runs whose pages are tested: one that is clean, one that leaks, one that misreports, one that grows, and a language
 * model's.
 */
final class SampleRuns {

    /** A label that would run as a program where it is taken for markup. */
    static final String HOSTILE_LABEL = "<img src=x onerror=\"window.hostile=1\">";

    /** A reason that would end the figures of a page that does not escape them. */
    static final String HOSTILE_REASON = "</script><script>window.hostile=1</script>";

    private static final long KIB = 1_024;

    /** What the run that leaks may have of L1 on each device; only one device takes more. */
    static final long L1_BUDGET = 128 * KIB;

    private static final long PAGE = 2 * KIB;

    /** Those that several classes look at, by their titles: each runs once. */
    private static final Map<String, SampleRun> RUNS = new ConcurrentHashMap<>();

    private SampleRuns() {}

    /** Nothing is left. */
    static SampleRun clean() {
        return RUNS.computeIfAbsent("DecoderTests.freesWhatItAllocates()", title -> {
            AllocationTracker tracker = AllocationTracker.create();
            Ttnn ttnn = Ttnn.create(tracker);
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            try (Scope test = tracker.phase(Phase.TEST)) {
                for (int layer = 0; layer < 12; layer++) {
                    Tensor weights = tensor(ttnn, mesh, 64 + 32 * layer);
                    Tensor tokens = tensor(ttnn, mesh, 64 + 32 * layer);
                    Tensor sum = ttnn.add(weights, tokens);
                    ttnn.deallocate(tokens);
                    ttnn.deallocate(sum);
                    ttnn.deallocate(weights);
                }
            }
            try (Scope teardown = tracker.phase(Phase.TEARDOWN)) {
                mesh.disableAndClearProgramCache();
                ttnn.closeMeshDevice(mesh);
            }
            return SampleRun.of(title, tracker);
        });
    }

    /** A cache that nobody frees, a program cache that nobody clears, one device that is forgotten, one buffer that may stay. */
    static SampleRun leak() {
        return RUNS.computeIfAbsent("leak", first -> leak(MeshShape.of(2, 4)));
    }

    /** The same on a mesh of another shape. */
    static SampleRun leak(MeshShape shape) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker).systemMesh(shape).build();
        MeshDevice mesh = ttnn.openMeshDevice(shape);
        try (Scope test = tracker.phase(Phase.TEST)) {
            mesh.allocateOn(6, buffer(96 * KIB).named("fabric"));
            for (int step = 0; step < 24; step++) {
                Tensor scores = tensor(ttnn, mesh, 128 + 32 * (step % 5));
                if (step % 8 == 3) {
                    tensor(ttnn, mesh, 192);
                }
                if (step == 10) {
                    allocateOnAllAndFreeOnAllBut(3, mesh, shape.meshSize());
                }
                if (step == 15) {
                    ttnn.deallocate(ttnn.add(scores, scores));
                }
                ttnn.deallocate(scores);
            }
        }
        try (Scope teardown = tracker.phase(Phase.TEARDOWN)) {
            ttnn.closeMeshDevice(mesh);
        }
        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(
                        Expectation.because(HOSTILE_REASON).label("fabric").exactly(1),
                        Expectation.because("was there once").label("telemetry")))
                .examine(tracker.history());
        Baseline known = knownButThePrograms(verdict);
        VerdictReport report = VerdictReport.of(verdict, known).reproducedBy("mvn test -Dtest=KvCacheTest#decode");
        BudgetVerdict budgets =
                BudgetVerdict.of(verdict, List.of(BudgetSpec.of(BufferType.L1).peakBytes(L1_BUDGET)), List.of());
        RunPage page = RunPage.of("KvCacheTest.decode()", report).withBudgets(budgets);
        return new SampleRun(verdict, report, page);
    }

    /** All memory was given back, and the books say that it was not. */
    static SampleRun misreported() {
        return RUNS.computeIfAbsent("ViewsTest.reportsItsFrees()", title -> {
            AllocationTracker tracker = AllocationTracker.create();
            Ttnn ttnn = Ttnn.builder(tracker)
                    .defects(
                            RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE,
                            RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES)
                    .build();
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            try (Scope test = tracker.phase(Phase.TEST)) {
                Tensor one = tensor(ttnn, mesh, 64);
                ttnn.deallocate(ttnn.add(one, one));
                ttnn.deallocate(one);
            }
            try (Scope teardown = tracker.phase(Phase.TEARDOWN)) {
                mesh.disableAndClearProgramCache();
                ttnn.closeMeshDevice(mesh);
            }
            return SampleRun.of(title, tracker);
        });
    }

    /** Seed 001's run: weights, caches and a trace, freed at the clean-up. */
    static SampleRun languageModel() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        Ttnn ttnn = Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
        MeshDevice mesh = ttnn.openMeshDevice(
                MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(2, 4)).withTraceRegionSize(30_000_000));
        LanguageModelRun model = new LanguageModelRun(mesh);
        try (Scope load = tracker.phase("load the model")) {
            model.loadModel();
        }
        try (Scope decode = tracker.phase("decode")) {
            model.decode();
        }
        try (Scope capture = tracker.phase("capture the trace")) {
            model.captureTrace();
        }
        try (Scope teardown = tracker.phase(Phase.TEARDOWN)) {
            model.releaseTrace();
            model.dropModel();
            ttnn.closeMeshDevice(mesh);
        }
        return SampleRun.of("LanguageModelTests.decodes()", tracker);
    }

    /** One tensor of each of six rounds is never freed. */
    static SampleRun growing() {
        return RUNS.computeIfAbsent("GrowingCacheTest.everyRound()", title -> {
            AllocationTracker tracker = AllocationTracker.create();
            Ttnn ttnn = Ttnn.create(tracker);
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            tracker.rounds(
                    6,
                    round -> ttnn.empty(
                            TensorShape.of(8, 8, 512, 512),
                            DataType.BFLOAT16,
                            mesh,
                            TensorDistribution.sharded2d(0, 1)));
            ttnn.closeMeshDevice(mesh);
            return SampleRun.of(title, tracker);
        });
    }

    /** The memory of the programs in the cache is new, so it is the first finding. */
    private static Baseline knownButThePrograms(LeakVerdict verdict) {
        return Baseline.of(Baseline.of(verdict).entries().values().stream()
                .filter(entry -> !entry.leak().callSite().equals("SampleRuns.leak"))
                .toList());
    }

    private static void allocateOnAllAndFreeOnAllBut(int forgotten, MeshDevice mesh, int devices) {
        List<Buffer> buffers = IntStream.range(0, devices)
                .mapToObj(device -> mesh.allocateOn(device, buffer(64 * KIB).named(HOSTILE_LABEL)))
                .toList();
        buffers.stream().filter(buffer -> buffer.device() != forgotten).forEach(Buffer::deallocate);
    }

    private static BufferConfig buffer(long bytes) {
        return BufferConfig.of(BufferType.L1, bytes, PAGE);
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh, int side) {
        return ttnn.empty(TensorShape.of(side, side), DataType.BFLOAT16, mesh);
    }
}
