package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A source whose memory tests reach without a parameter sees each allocation. */
class OwnSourceTests implements WithFixtures {

    @Test
    void aSessionThatDoesNotGiveWhatItsSourceNamesSaysSo() {
        SourceSession session = () -> {};

        assertThatThrownBy(() -> session.resolve(StringBuilder.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gives no java.lang.StringBuilder, which its source names as a parameter");
    }

    /** A binding that tests call without MeshGuard. */
    private static final class Binding {

        private static Optional<AllocationTracker> tracker = Optional.empty();

        static void attach(SourceContext context) {
            context.tracker().sourceAttached("binding");
            tracker = Optional.of(context.tracker());
        }

        static void detach() {
            tracker = Optional.empty();
        }

        static void allocate(long address) {
            tracker.ifPresent(attached -> attached.allocated(0, BufferType.DRAM, address, 4_096));
        }
    }

    private static MeshGuardExtension.Builder binding() {
        return MeshGuardExtension.builder().source(FixtureSource.settings(Binding::attach, Binding::detach));
    }

    static class LeakTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = binding().build();

        @MustLeak
        void aTestThatAsksForNoParameterIsChecked() {
            Binding.allocate(0x1000);
        }

        @Test
        void aTestThatAllocatesNothingPasses() {}
    }

    @TestInstance(Lifecycle.PER_CLASS)
    static class PerClassTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = binding().build();

        @MustLeak
        void aTestOfAnInstanceOfAllTestsIsChecked() {
            Binding.allocate(0x1000);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    @MustFail(verdict = Outcome.LEAKED)
    static class BeforeAllTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = binding().build();

        @BeforeAll
        static void leaks() {
            Binding.allocate(0x1000);
        }

        @Test
        void aSharedSessionBeginsBeforeTheMethodsForAll() {}
    }

    static class UnusedMeshTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder()
                        .runtime(runtime -> {
                            throw new IllegalStateException("nobody requested a mesh");
                        })
                        .build())
                .build();

        /** No test can reach its memory otherwise, and most tests of a class may need none. */
        @Test
        void aMeshBeginsOnlyWhenATestRequestsIt() {}
    }
}
