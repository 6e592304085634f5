package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
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
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
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
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The runs whose pages are tested. */
final class SampleRuns {

    /** A label that would run as a program where it is taken for markup. */
    static final String HOSTILE_LABEL = "<img src=x onerror=\"window.hostile=1\">";

    /** A reason that would end the figures of a page that does not escape them. */
    static final String HOSTILE_REASON = "</script><script>window.hostile=1</script>";

    private static final long KIB = 1_024;
    private static final long MIB = 1 << 20;

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

    /** A request that a cache between two holes leaves no room for. */
    static SampleRun outOfMemory() {
        AllocationTracker tracker = AllocationTracker.create();
        MeshDevice mesh = Ttnn.create(tracker).openMeshDevice();
        MeshBuffer first = allocate(mesh, "layer 1", BufferType.L1, 28 * MIB);
        MeshBuffer cache = allocate(mesh, "kv-cache", BufferType.L1, 28 * MIB);
        first.deallocate();
        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.allocate(BufferType.L1, 40 * MIB));
        cache.deallocate();
        mesh.close();
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        VerdictReport report =
                VerdictReport.of(verdict).failedBy(error.shortage().orElseThrow());
        return new SampleRun(verdict, report, RunPage.of("ScoresTest.hasNoRoom()", report));
    }

    /** A replay overwrites a buffer. */
    static SampleRun overwritten() {
        AllocationTracker tracker = AllocationTracker.create();
        MeshDevice mesh = Ttnn.create(tracker).openMeshDevice();
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(BufferType.DRAM, PAGE).deallocate();
        mesh.endMeshTrace(0, trace, 1_000);
        MeshBuffer staging = allocate(mesh, "staging", BufferType.DRAM, PAGE);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        mesh.releaseMeshTrace(trace);
        staging.deallocate();
        mesh.close();
        return SampleRun.of("TraceTest.replays()", tracker);
    }

    private static MeshBuffer allocate(MeshDevice mesh, String label, BufferType type, long bytes) {
        return mesh.allocate(BufferConfig.of(type, bytes, PAGE).named(label));
    }

    /** Memory that belongs to no device, as that of a Java library. */
    static SampleRun libraryMemory() {
        return ofLibrary(SourceVocabulary.of("Netty memory").freedBy("release", "released"), 64, 128, 256);
    }

    /** Objects of a class, of unknown size. */
    static SampleRun libraryObjects() {
        return ofLibrary(SourceVocabulary.ofObjects("RocksIterator"), 0, 0, 0);
    }

    /** Only the last is freed. */
    private static SampleRun ofLibrary(SourceVocabulary words, long... sizes) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.sourceAttached(SourceDescription.of("library").speaking(words));
        AllocationDetails details = AllocationDetails.user().fromSource("library");
        LongStream.of(sizes)
                .mapToObj(bytes -> tracker.lease(details, OriginFilter.none(), BufferType.SYSTEM_MEMORY, bytes))
                .reduce((first, last) -> last)
                .ifPresent(Lease::freed);
        tracker.checked();
        return SampleRun.of("LibraryTest.reads()", tracker);
    }

    /** Three sizes from one line, in three lines of one caller. */
    static SampleRun threeSizes() {
        return RUNS.computeIfAbsent("ModelTest.loads()", title -> {
            AllocationTracker tracker = AllocationTracker.create();
            tracker.meshOpened(MeshDescription.of(0, "1x4 mesh", List.of(0, 1, 2, 3)));
            load(tracker, 0);
            load(tracker, 1);
            load(tracker, 2);
            tracker.meshClosed(0);
            return SampleRun.of(title, tracker);
        });
    }

    private static void load(AllocationTracker tracker, int device) {
        tracker.allocated(device, BufferType.DRAM, 0x10000, 1024L * (device + 1));
    }

    /** No capacities are known, the first device reports for all in L1, and the peak lies right of the middle. */
    static SampleRun withoutCapacity() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(new MeshDescription(0, "1x4 mesh", List.of(0, 1, 2, 3), 0, OptionalInt.empty(), List.of()));
        for (int number = 1; number <= 6; number++) {
            for (int device = 0; device < 4; device++) {
                tracker.allocated(device, BufferType.DRAM, number << 24, (1 << 24) + 12_345);
            }
        }
        tracker.allocated(0, BufferType.L1, 4_096, 4_096);
        for (int number = 1; number <= 4; number++) {
            for (int device = 0; device < 4; device++) {
                tracker.freed(device, BufferType.DRAM, number << 24);
            }
        }
        return SampleRun.of("LoadTest.loadsAndFrees()", tracker);
    }

    /** A field of the user's code refers to a buffer. */
    static SampleRun held() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 1024, Ownership.OWNING);
        tracker.traced(
                request, Reachability.heldBy(List.of("ModelTest.model", "Model.weights", "Optional", "ArrayList[0]")));
        tracker.meshClosed(0);
        return SampleRun.of("ModelTest.holds()", tracker);
    }

    /** A program with less memory than a buffer of the user, and with more if what goes away with it counts. */
    static SampleRun cachedProgram() {
        AllocationTracker tracker = AllocationTracker.create();
        Owner program = new Owner(Owner.Kind.PROGRAM, "7");
        AllocationDetails ofProgram = AllocationDetails.user().ownedBy(program);
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, BufferType.DRAM, 4096, 2048, Ownership.OWNING);
        tracker.allocated(tracker.request(ofProgram), 0, BufferType.DRAM, 8192, 64, Ownership.OWNING);
        tracker.allocated(tracker.request(ofProgram), 0, BufferType.L1, 4096, 4096, Ownership.OWNING);
        tracker.ownerCached(program, "program cache");
        tracker.meshClosed(0);
        tracker.checked();
        return SampleRun.of("CacheTest.keepsItsProgram()", tracker);
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
