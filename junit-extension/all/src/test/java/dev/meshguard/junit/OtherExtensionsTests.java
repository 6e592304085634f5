package dev.meshguard.junit;

import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.when;

import dev.meshguard.assertions.LeakSoftAssertions;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Outcome;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.junit.jupiter.InjectSoftAssertions;
import org.assertj.core.api.junit.jupiter.SoftAssertionsExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.mockito.Mock;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;
import org.mockito.junit.jupiter.MockitoExtension;

/**
 * MeshGuard and other extensions of a test report every finding once, in either order.
 *
 * <p>AssertJ's own extension injects and collects MeshGuard's soft assertions. It reports after the test method, so
 * before the check. An asserted leak is not reported again, and another one is suppressed in that error. If another
 * extension resolves a parameter of a MeshGuard type, use a field: a parameter can have only one resolver.
 */
class OtherExtensionsTests implements WithFixtures {

    @TrackAllocations
    @ExtendWith(SoftAssertionsExtension.class)
    static class JoiningTestCase {
        @InjectSoftAssertions
        private LeakSoftAssertions softly;

        @Test
        @MustFail(text = "Multiple Failures (2 failures)", alone = true)
        void leaksJoinTheCollectorOfSoftAssertions(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            softly.assertThat(tracker).noLeaks();
            softly.assertThat("one").isEqualTo("other");
        }
    }

    abstract static class Leaking {
        @InjectSoftAssertions
        private LeakSoftAssertions softly;

        @Test
        @MustFail(text = "expected: \"other\"", suppressed = Outcome.LEAKED)
        void aLeakIsSuppressedInWhatSoftAssertionsReport(MeshDevice mesh) {
            Buffers.take(mesh);
            softly.assertThat("one").isEqualTo("other");
        }
    }

    @ExtendWith(SoftAssertionsExtension.class)
    @TrackAllocations
    static class AssertJFirstTestCase extends Leaking {}

    @TrackAllocations
    @ExtendWith(SoftAssertionsExtension.class)
    static class AssertJLaterTestCase extends Leaking {}

    abstract static class Stubbing {
        @Mock
        @SuppressWarnings("MockNotUsedInProduction") // This is the reported error.
        private Supplier<String> supplier;

        @Test
        @MustFail(error = UnnecessaryStubbingException.class, suppressed = Outcome.LEAKED)
        void aLeakIsSuppressedInWhatStrictStubsReport(MeshDevice mesh) {
            when(supplier.get()).thenReturn("never asked for");
            Buffers.take(mesh);
        }
    }

    @ExtendWith(MockitoExtension.class)
    @TrackAllocations
    static class MockitoFirstTestCase extends Stubbing {}

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class MockitoLaterTestCase extends Stubbing {}

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class MocksTestCase {
        @Mock
        private MeshDevice mock;

        @Test
        @MustFail(error = ParameterResolutionException.class, text = "Discovered multiple competing ParameterResolvers")
        @SuppressWarnings("MockNotUsedInProduction") // The test fails before the mock is injected.
        void twoResolversOfOneParameterFailTheTest(@Mock MeshDevice mesh) {}

        @Test
        void aFieldHoldsTheMockAndAParameterTheMesh(MeshDevice mesh) {
            Assertions.assertThat(mockingDetails(mock).isMock()).isTrue();
            Assertions.assertThat(mockingDetails(mesh).isMock()).isFalse();
        }
    }
}
