package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.Configured;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.MustLeak;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.Expectation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For every way and number of registrations, a test is checked once, with the settings of the nearest. */
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

    // Of several annotations the nearest applies, at every location, and counts as a whole

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    interface OneDevice {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    interface TwoDevices {}

    interface AlsoOneDevice extends OneDevice {}

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 3)
    static class DecidedTestCase implements OneDevice, TwoDevices {
        @Test
        void theClassItselfDecidesBetweenInterfaces(MeshDevice mesh) {
            assertShape(mesh, 1, 3);
        }
    }

    static class SeveralInterfacesTestCase implements AlsoOneDevice, TwoDevices {
        /** JUnit's search returns the first. */
        @Test
        void ofTwoInterfacesTheFirstCounts(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
        }
    }

    @WatchedProcesses
    abstract static class ProcessesTestCase {}

    @FakeMesh(rows = 1, columns = 2)
    static class MeshUnderProcessesTestCase extends ProcessesTestCase {
        @Test
        void theSourceOfAClassGoesBeforeThatOfItsSuperclass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @WatchedProcesses
    interface OnProcesses {}

    @FakeMesh(rows = 1, columns = 2)
    abstract static class OnMesh {
        @Test
        void theSourceOfASuperclassGoesBeforeThatOfAnInterface(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @FakeMesh(rows = 1, columns = 2)
    static class SameAsSuperclassTestCase extends OnMesh implements OnProcesses {}

    static class InheritingMeshTestCase extends MeshUnderProcessesTestCase {}

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    @ExpectBuffers(label = "weights", atMost = 1, because = "one set for the suite")
    @interface SingleDeviceTest {}

    @SingleDeviceTest
    static class ComposedTestCase {
        @Test
        void anAnnotationOfOnesOwnCountsWithItsAttributes(MeshDevice mesh) {
            assertShape(mesh, 1, 1);
            Buffers.take(mesh, "weights");
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    static class OuterTestCase {
        @Test
        void aMethodWithoutAnnotationHasThatOfItsClass(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }

        @Test
        @TrackAllocations
        @FakeMesh(columns = 1)
        void aMethodsAnnotationGoesBeforeThatOfItsClassAsAWhole(MeshDevice mesh) {
            assertShape(mesh, 2, 1);
        }

        @Nested
        class WithoutTestCase {
            @Test
            void theAnnotationOfTheClassAroundCounts(MeshDevice mesh) {
                assertShape(mesh, 1, 2);
            }
        }

        @Nested
        @TrackAllocations
        @FakeMesh(rows = 1, columns = 3)
        class WithTestCase {
            @Test
            void theAnnotationOfTheNestedClassCounts(MeshDevice mesh) {
                assertShape(mesh, 1, 3);
            }
        }
    }

    static class NestedTestCase {

        @Test
        @MustFail(error = ParameterResolutionException.class)
        void theClassAroundIsNotTracked(MeshDevice mesh) {}

        @Nested
        @TrackAllocations
        class Inner {

            @MustLeak
            void theAnnotationOfANestedClassAloneTracksItsTests(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }
    }

    @FakeMesh(rows = 1, columns = 2)
    static class AloneTestCase {
        @MustLeak
        void usedAloneItTracksTheTest(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class TrackedFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 2).build())
                .build();

        @Test
        void trackingAloneLeavesTheSourceOfAFieldAsItIs(MeshDevice mesh) {
            assertShape(mesh, 1, 2);
        }
    }

    @FakeMesh
    static class OnMeshTestCase {
        @Test
        void onAMesh(MeshDevice mesh) {
            assertShape(mesh, 2, 4);
        }

        @Nested
        @WatchedProcesses
        class InnerTestCase {
            @Test
            void aNestedClassSelectsAnotherSource(TrackedProcesses processes) {
                Assertions.assertThat(processes.all()).isEmpty();
            }
        }
    }

    // Check, grace and origins, regardless of the mesh settings there; else those of the parameter

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({
        "unsaid, none",
        "ofMethodThatDoesNotCheck, ''",
        "ofMethodThatSaysDefault, none",
        "ofMethodWithAnotherMesh, none",
        "ofNestedClassThatDoesNotCheck, ''",
        "ofNestedClassWithAnotherMesh, none"
    })
    void whatTheNearestAnnotationDoesNotCheckFailsNothing(String place, String check) {
        assertThat(runTest(PlacesCase.class, place, Map.of("meshguard.check", check)))
                .hasTest(place)
                .whichSucceededSilently();
    }

    /** Parameters for check, grace and origins, then how long the check waited and whether the leak has an origin. */
    @ParameterizedTest(name = "{0}, parameters {1}, {2}, {3}")
    @CsvSource({
        "unsaid, '', '', '', '', true",
        "unsaid, clean, 0, allocations, '', true",
        "unsaid, no-leaks, 5 s, none, 5 s, false",
        "unsaid, only-expected-system-buffers, 5 s, allocations-and-frees, 5 s, true",
        "ofClass, none, 5 s, none, 2 s, true",
        "ofMethod, '', 5 s, '', 3 s, false",
        "ofMethodThatDoesNotWait, '', 5 s, '', '', true",
        "ofMethodThatSaysSomethingElse, none, 5 s, none, 5 s, false",
        "ofEnclosingClass, none, 5 s, none, 2 s, true",
        "ofNestedClass, '', 5 s, '', 4 s, false"
    })
    void theNearestAnnotationSaysWhatIsCheckedAwaitedAndCaptured(
            String place, String check, String grace, String origins, String waited, boolean hasOrigin) {
        Map<String, String> parameters =
                Map.of("meshguard.check", check, "meshguard.grace", grace, "meshguard.origins", origins);

        RunAssert.Failure failure = assertThat(runTest(PlacesCase.class, place, parameters))
                .hasTest(place)
                .whichFailed()
                .withVerdict(Outcome.LEAKED);

        Assertions.assertThat(failure.text().replaceFirst("(?s).*note\\s+waited (.*?) for frees.*|.*", "$1"))
                .isEqualTo(waited);
        Assertions.assertThat(failure.verdict().groups())
                .extracting(group -> group.origin().isPresent())
                .containsExactly(hasOrigin);
    }

    /** One test for each location, named after the location. */
    @TrackAllocations
    static class PlacesCase {

        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().timer(new SteppedTimer()).build();

        @BeforeEach
        void leak(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void unsaid() {}

        @Nested
        @TrackAllocations(check = AllocationCheck.NO_LEAKS, grace = "2 s", origins = OriginCapture.ALLOCATIONS)
        class OnClass {

            @Test
            void ofClass() {}

            @Test
            @TrackAllocations(grace = "3 s", origins = OriginCapture.NONE)
            void ofMethod() {}

            @Test
            @TrackAllocations(grace = "0 s")
            void ofMethodThatDoesNotWait() {}

            @Test
            @TrackAllocations(check = AllocationCheck.NONE)
            void ofMethodThatDoesNotCheck() {}

            @Test
            @TrackAllocations(check = AllocationCheck.NO_LEAKS)
            void ofMethodThatSaysSomethingElse() {}

            @Test
            @TrackAllocations(check = AllocationCheck.DEFAULT)
            void ofMethodThatSaysDefault() {}

            @Test
            @TrackAllocations
            @FakeMesh(rows = 1)
            void ofMethodWithAnotherMesh() {}

            @Nested
            class Inner {
                @Test
                void ofEnclosingClass() {}
            }

            @Nested
            @TrackAllocations(grace = "4 s", origins = OriginCapture.NONE)
            class InnerThatSays {
                @Test
                void ofNestedClass() {}
            }

            @Nested
            @TrackAllocations(check = AllocationCheck.NONE)
            class InnerThatDoesNotCheck {
                @Test
                void ofNestedClassThatDoesNotCheck() {}
            }

            @Nested
            @TrackAllocations
            @FakeMesh(rows = 1)
            class InnerWithAnotherMesh {
                @Test
                void ofNestedClassWithAnotherMesh() {}
            }
        }
    }
}
