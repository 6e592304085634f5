package dev.meshguard.junit;

import dev.meshguard.assertions.LeakAssertions;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

// region: source
/** One mesh for the tests of several classes, each of which is responsible for what it allocates on it. */
final class ModuleMesh implements AllocationSource {

    static final AllocationTracker TRACKER = AllocationTracker.create();
    static final MeshDevice MESH = Ttnn.create(TRACKER).openMeshDevice(MeshShape.of(1, 2));

    private static final Map<AllocationContext, LeakVerdict> JUDGED = new ConcurrentHashMap<>();

    static SourceSettings settings() {
        return SourceSettings.withoutOptions(new ModuleMesh(), context -> new OfTest(context.name()));
    }

    @Override
    public String id() {
        return "module mesh";
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return Set.of();
    }

    /** The memory of one test, which MeshGuard checks when the test ends. */
    private record OfTest(AllocationContext test, Scope thread) implements SourceSession, SourcePart {

        private OfTest(AllocationContext test) {
            this(test, test.makeCurrent());
        }

        private OfTest(String name) {
            this(TRACKER.context(name));
        }

        @Override
        public List<SourcePart> endParts() {
            thread.close();
            test.close();
            return List.of(this);
        }

        @Override
        public LeakVerdict verdict(LeakCheck check) {
            LeakVerdict verdict = check.examine(TRACKER.history().partOf(test));
            JUDGED.put(test, verdict);
            return verdict;
        }

        @Override
        public AllocationTracker tracker() {
            return TRACKER;
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
        public List<String> notes() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    /** Closes the mesh when the run ends, and fails the run for what no test was responsible for. */
    static final class EndOfRun implements BeforeAllCallback {

        @Override
        public void beforeAll(ExtensionContext context) {
            context.getRoot().getStore(Namespace.create(EndOfRun.class)).getOrComputeIfAbsent(EndOfRun.class, unused ->
                    (CloseableResource) EndOfRun::close);
        }

        private static void close() {
            MESH.close();
            LeakCheck rest = LeakCheck.create();
            for (Map.Entry<AllocationContext, LeakVerdict> test : JUDGED.entrySet()) {
                rest = rest.excluding(test.getValue(), test.getKey().name());
            }
            LeakAssertions.assertThat(rest.examine(TRACKER.history())).noLeaks();
        }
    }
}
// end region
