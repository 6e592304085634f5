package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.mockito.Mockito.mockingDetails;

import dev.meshguard.mesh.MeshDevice;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;

/**
 * If another extension resolves a parameter of a MeshGuard type, use a field: a parameter can have only one resolver.
 */
class OtherResolversTests {

    @Test
    void twoResolversOfOneParameterFailTheTest() {
        assertThat(run(ParameterTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(ParameterResolutionException.class)
                .withTextContaining("Discovered multiple competing ParameterResolvers");
    }

    @Test
    void aFieldHoldsTheMockAndAParameterTheMesh() {
        assertThat(run(FieldTestCase.class)).hasOnlySucceeded(1);
    }

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class ParameterTestCase {
        @Test
        @SuppressWarnings("MockNotUsedInProduction") // The test fails before the mock is injected.
        void asksForAMock(@Mock MeshDevice mesh) {}
    }

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class FieldTestCase {
        @Mock
        private MeshDevice mock;

        @Test
        void hasBoth(MeshDevice mesh) {
            Assertions.assertThat(mockingDetails(mock).isMock()).isTrue();
            Assertions.assertThat(mockingDetails(mesh).isMock()).isFalse();
        }
    }
}
