package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** For every way and number of registrations, a test is checked once. */
class RegistrationTests {

    @Test
    void aStaticFieldRegistersItWithItsSettings() {
        assertThat(run(StaticFieldTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void anInstanceFieldRegistersItToo() {
        assertThat(run(InstanceFieldTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    @Test
    void theExtensionAloneHasTheDefaults() {
        assertThat(run(ExtendWithTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void annotationAndFieldTogetherCheckOnceByTheAnnotation() {
        assertThat(run(AnnotationAndFieldTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void annotationOnTheMethodAndFieldTogetherCheckOnceByTheAnnotation() {
        assertThat(run(MethodAndFieldTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(Outcome.LEAKED)
                .withNothingSuppressed();
    }

    @Test
    void aFieldKeepsItsSettingsBesideAnEntry() {
        assertThat(run(EntryAndFieldTestCase.class)).hasOnlySucceeded(1);
    }

    @Test
    void appliesExpectationsOfAFieldBesideAnAnnotation() {
        assertThat(run(AnnotationAndExpectingFieldTestCase.class)).hasOnlySucceeded(1);
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class EntryAndFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Test
        void keeps(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 2);
            Buffers.take(mesh, "weights");
            Buffers.take(mesh, "cache");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class AnnotationAndExpectingFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .expecting(Expectation.because("kept").label("cache").atMost(1))
                .build();

        @Test
        void keeps(MeshDevice mesh) {
            Buffers.take(mesh, "cache");
        }
    }

    static class StaticFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .expecting(Expectation.because("shared").type(BufferType.DRAM).atMost(2))
                .build();

        @Test
        void keeps(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 2);
            Buffers.take(mesh);
        }
    }

    static class InstanceFieldTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.create();

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @ExtendWith(MeshGuardExtension.class)
    static class ExtendWithTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(2, 4);
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class AnnotationAndFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        AnnotationAndFieldTestCase(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 1);
        }

        @Test
        void leaks(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 1);
            Buffers.take(mesh);
        }
    }

    static class MethodAndFieldTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        @Test
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 1)
        void leaks(MeshDevice mesh) {
            Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 1);
            Buffers.take(mesh);
        }
    }
}
