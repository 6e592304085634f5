package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;
import static org.mockito.Mockito.when;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mock;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;
import org.mockito.junit.jupiter.MockitoExtension;

/** Mockito's strict stubs and a leak do not hide each other, in either order of the extensions. */
class MockitoStrictnessTests {

    @Test
    void reportsBothWhereMockitoComesFirst() {
        assertThat(run(MockitoFirstTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(UnnecessaryStubbingException.class)
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    @Test
    void reportsBothWhereMockitoComesLater() {
        assertThat(run(MockitoLaterTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(UnnecessaryStubbingException.class)
                .withSuppressedVerdict(Outcome.LEAKED);
    }

    abstract static class StubbingTestCase {
        @Mock
        @SuppressWarnings("MockNotUsedInProduction") // This is the reported error.
        private Supplier<String> supplier;

        @Test
        void stubsInVainAndLeaks(MeshDevice mesh) {
            when(supplier.get()).thenReturn("never asked for");
            Buffers.take(mesh);
        }
    }

    @ExtendWith(MockitoExtension.class)
    @TrackAllocations
    static class MockitoFirstTestCase extends StubbingTestCase {}

    @TrackAllocations
    @ExtendWith(MockitoExtension.class)
    static class MockitoLaterTestCase extends StubbingTestCase {}
}
