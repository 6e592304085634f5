package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is freed between the check of a part and the verdict that follows the search for holders. */
class JudgedAgainTests {

    @Test
    void isFreedLateAndFailsTheTest() {
        assertThat(run(CheckedTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.FREED_LATE);
    }

    /** A failure would say that all memory was freed. */
    @Test
    void failsNoTestIfTheLaterVerdictHolds() {
        assertThat(run(JudgedByOtherReportsTestCase.class)).hasOnlySucceeded(1);
    }

    /** Allocates a buffer for its test, and frees it before the second verdict. */
    private static final class FreeingPart implements SourceSession, SourcePart {

        private final AllocationTracker judged = AllocationTracker.create();
        private final AllocationContext test = judged.context("test");
        private final MeshDevice mesh = Ttnn.create(judged).openMeshDevice(MeshShape.of(1, 1));
        private final MeshBuffer buffer = Buffers.take(mesh);
        private final AllocationTracker tracker;
        private boolean wasJudged;

        private FreeingPart(boolean isChecked) {
            tracker = isChecked ? judged : AllocationTracker.create();
        }

        @Override
        public List<SourcePart> endParts() {
            test.close();
            return List.of(this);
        }

        @Override
        public LeakVerdict verdict(LeakCheck check) {
            if (wasJudged) {
                buffer.deallocate();
            }
            wasJudged = true;
            return check.examine(judged.history().partOf(test));
        }

        @Override
        public AllocationTracker tracker() {
            return tracker;
        }

        @Override
        public String kind() {
            return "mesh";
        }

        @Override
        public String id() {
            return "of the test";
        }

        @Override
        public void close() {
            mesh.close();
        }
    }

    private static final class FreeingSource implements AllocationSource {

        static MeshGuardExtension guard(boolean isChecked) {
            return MeshGuardExtension.builder()
                    .source(SourceSettings.withoutOptions(new FreeingSource(), unused -> new FreeingPart(isChecked)))
                    .build();
        }

        @Override
        public String id() {
            return "freeing";
        }

        @Override
        public Set<Class<?>> parameterTypes() {
            return Set.of();
        }
    }

    static class CheckedTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = FreeingSource.guard(true);

        @Test
        void decodes() {}
    }

    static class JudgedByOtherReportsTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = FreeingSource.guard(false);

        @Test
        void decodes() {}
    }
}
