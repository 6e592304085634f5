package dev.meshguard.junit;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** One mesh for the tests of several classes, each of which is responsible for what it allocates on it. */
final class ModuleMesh implements AllocationSource, BeforeAllCallback {

    private static OfRun run;

    static MeshDevice mesh() {
        return run.mesh;
    }

    static SourceSettings settings() {
        return SourceSettings.withoutOptions(
                new ModuleMesh(), context -> new OfTest(run, run.tracker.context(context.name())));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        run = context.getRoot().getStore(Namespace.create(ModuleMesh.class)).getOrComputeIfAbsent(OfRun.class);
    }

    @Override
    public String id() {
        return "module mesh";
    }

    /** The memory of one test, which MeshGuard checks when the test ends. */
    private record OfTest(OfRun run, AllocationContext test, Scope thread) implements SourceSession, SourcePart {

        private OfTest(OfRun run, AllocationContext test) {
            this(run, test, test.makeCurrent());
        }

        @Override
        public List<SourcePart> endParts() {
            thread.close();
            return List.of(this);
        }

        @Override
        public AllocationHistory history() {
            return run.tracker.history().partOf(test);
        }

        @Override
        public LeakVerdict verdict(LeakCheck check) {
            LeakVerdict verdict = check.examine(history());
            run.judged.put(test, verdict);
            return verdict;
        }

        @Override
        public AllocationTracker tracker() {
            return run.tracker;
        }

        @Override
        public String kind() {
            return "mesh";
        }

        @Override
        public String id() {
            return "of the module";
        }

        @Override
        public void close() {}
    }

    /** Closed by JUnit when the run ends, which fails for what no test was responsible for. */
    private static final class OfRun implements AutoCloseable, CloseableResource {

        private final AllocationTracker tracker = AllocationTracker.create();
        private final MeshDevice mesh = Ttnn.create(tracker).openMeshDevice(MeshShape.of(1, 2));
        private final Map<AllocationContext, LeakVerdict> judged = new ConcurrentHashMap<>();

        @Override
        public void close() {
            mesh.close();
            tracker.checked();
            LeakCheck rest = LeakCheck.create();
            for (Map.Entry<AllocationContext, LeakVerdict> test : judged.entrySet()) {
                rest = rest.excluding(test.getValue(), test.getKey().name());
            }
            LeakAssertions.assertThat(rest.examine(tracker.history())).noLeaks();
        }
    }
}
