package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.expectation.Expectation;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            classes = {
                LateEntryTestCase.class,
                LateEntryOfClassTestCase.class,
                LateEntryOfEachTestTestCase.class,
                LateBudgetTestCase.class,
                LateSourceTestCase.class
            })
    void settingsOfAnInstanceFieldBesideAnAnnotationAreRejected(Class<?> testCase) {
        assertThat(run(testCase))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "MeshGuardExtension in RegistrationTests$" + testCase.getSimpleName()
                                + ": a source, an entry or a budget in an instance field beside an annotation is rejected."
                                + " JUnit reads the field after the memory of the test has begun: make the field static.");
    }

    @TrackAllocations
    static class LateEntryTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Test
        void passes(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class LateEntryOfClassTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Test
        void passes(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class LateEntryOfEachTestTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Test
        void passes(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class LateBudgetTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .within(BudgetSpec.of(BufferType.DRAM).peakBytes(1))
                .build();

        @Test
        void passes(MeshDevice mesh) {}
    }

    @TrackAllocations
    static class LateSourceTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        @Test
        void passes(MeshDevice mesh) {}
    }

    @Test
    void anInstanceFieldAloneKeepsItsSettings() {
        assertThat(run(InstanceFieldWithSettingsTestCase.class)).hasOnlySucceeded(1);
    }

    static class InstanceFieldWithSettingsTestCase {
        @RegisterExtension
        final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .expecting(Expectation.because("kept").label("cache"))
                .build();

        @Nested
        class InnerTestCase {
            @Test
            void keeps(MeshDevice mesh) {
                Assertions.assertThat(mesh.shape().dimensions()).containsExactly(1, 2);
                Buffers.take(mesh, "cache");
            }
        }
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
