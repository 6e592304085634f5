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
        "unsaid, '', true",
        "unsaid, clean, true",
        "unsaid, no-leaks, true",
        "unsaid, only-expected-system-buffers, true",
        "unsaid, none, false",
        "ofClass, none, true",
        "ofMethodThatDoesNotCheck, '', false",
        "ofMethodThatDoesNotWait, none, false",
        "ofMethodThatSaysDefault, none, false",
        "ofMethodWithAnotherMesh, none, false",
        "ofEnclosingClass, none, true",
        "ofNestedClassThatDoesNotCheck, '', false",
        "ofNestedClassWithAnotherMesh, none, false"
    })
    void theNearestCheckDecidesWhatFails(String place, String parameter, boolean fails) {
        var test = assertThat(runTest(PlacesCase.class, place, Map.of("meshguard.check", parameter)))
                .hasTest(place);

        if (fails) {
            test.whichFailed().withVerdict(Outcome.LEAKED);
        } else {
            test.whichSucceededSilently();
        }
    }

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({
        "unsaid, 5 s, 5 s",
        "ofClass, 5 s, 2 s",
        "ofMethod, 5 s, 3 s",
        "ofMethodThatSaysSomethingElse, 5 s, 5 s",
        "ofEnclosingClass, 5 s, 2 s",
        "ofNestedClass, 5 s, 4 s"
    })
    void waitsForTheNearestGrace(String place, String parameter, String waited) {
        failureOf(place, "grace", parameter)
                .withTextContaining("note waited " + waited
                        + " for frees of other threads; none of 8 buffers came back meanwhile\n");
    }

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({"unsaid, ''", "unsaid, 0", "ofMethodThatDoesNotWait, 5 s"})
    void nobodyIsWaitedForWhereNoTimeIsGiven(String place, String parameter) {
        Assertions.assertThat(failureOf(place, "grace", parameter).text()).doesNotContain("waited");
    }

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({
        "unsaid, '', true",
        "unsaid, allocations, true",
        "unsaid, allocations-and-frees, true",
        "unsaid, none, false",
        "ofClass, none, true",
        "ofMethod, '', false",
        "ofMethodThatSaysSomethingElse, none, false",
        "ofEnclosingClass, none, true",
        "ofNestedClass, '', false"
    })
    void capturesTheNearestOrigins(String place, String parameter, boolean hasOrigin) {
        Assertions.assertThat(failureOf(place, "origins", parameter).verdict().groups())
                .singleElement()
                .satisfies(group ->
                        Assertions.assertThat(group.origin().isPresent()).isEqualTo(hasOrigin));
    }

    private static RunAssert.Failure failureOf(String place, String policy, String parameter) {
        return assertThat(runTest(PlacesCase.class, place, Map.of("meshguard." + policy, parameter)))
                .hasTest(place)
                .whichFailed();
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
