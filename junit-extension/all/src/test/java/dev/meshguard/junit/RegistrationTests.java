package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For every way and number of registrations, a test is checked once. */
class RegistrationTests implements WithFixtures {

    @Test
    void whereJUnitDetectsNoneATestWithoutAnnotationHasNoMesh() {
        assertThat(runTest(DetectedTestCase.class, "aTestWithoutAnyAnnotationIsChecked", Map.of()))
                .hasSingleTest()
                .whichFailed()
                .with(ParameterResolutionException.class);
    }

    /**
     * If JUnit detects extensions, every test may declare a mesh parameter and is checked, annotated or not.
     *
     * <p>The build enables detection. Annotations apply as usual, and nothing is checked twice.
     */
    @Configured("junit.jupiter.extensions.autodetection.enabled=true")
    static class DetectedTestCase {
        @Test
        @MustFail(verdict = Outcome.LEAKED, alone = true)
        void aTestWithoutAnyAnnotationIsChecked(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void aTestThatAsksForNothingIsLeftAlone() {}

        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 1)
        class AnnotatedTestCase {
            @Test
            @MustFail(verdict = Outcome.LEAKED, alone = true)
            void anAnnotationCountsAndChecksOnce(MeshDevice mesh) {
                assertShape(mesh, 1, 1);
                Buffers.take(mesh);
            }
        }
    }

    private static MeshGuardExtension.Builder onTwoDevices() {
        return MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build());
    }

    private static void assertShape(MeshDevice mesh, Integer... dimensions) {
        Assertions.assertThat(mesh.shape().dimensions()).containsExactly(dimensions);
    }

    static class InstanceFieldWithSettingsTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = onTwoDevices()
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Nested
        class InnerTestCase {
            @Test
            void anInstanceFieldAloneKeepsItsSettings(MeshDevice mesh) {
                assertShape(mesh, 1, 2);
                Buffers.take(mesh, "cache");
            }
        }
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class EntryAndFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = onTwoDevices()
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Test
        void aFieldKeepsItsSettingsBesideAnEntry(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
            Buffers.take(mesh, "weights");
            Buffers.take(mesh, "cache");
        }
    }

    static class StaticFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = onTwoDevices()
                .expecting(Expectation.because("shared").type(BufferType.DRAM).atMost(2))
                .build();

        @Test
        void aStaticFieldRegistersItWithItsSettings(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
            Buffers.take(mesh);
        }
    }

    @ExtendWith(MeshGuardExtension.class)
    static class ExtendWithTestCase {
        @MustLeak
        void theExtensionAloneHasTheDefaults(MeshDevice mesh) {
            assertShape(mesh, 2, 4);
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class AnnotationAndFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = onTwoDevices().build();

        AnnotationAndFieldTestCase(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
        }

        @Test
        @MustFail(verdict = Outcome.LEAKED, alone = true)
        void annotationAndFieldTogetherCheckOnceByTheAnnotation(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
            Buffers.take(mesh);
        }
    }

    static class MethodAndFieldTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = onTwoDevices().build();

        @Test
        @MustFail(verdict = Outcome.LEAKED, alone = true)
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 1)
        void annotationOnTheMethodAndFieldTogetherCheckOnceByTheAnnotation(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
            Buffers.take(mesh);
        }
    }
}
