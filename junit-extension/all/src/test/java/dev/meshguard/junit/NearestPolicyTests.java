package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Outcome;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Check, grace and origins are those of the nearest annotation, which counts as a whole, else of the parameter,
 * regardless of the mesh settings there.
 */
class NearestPolicyTests {

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
        var test = assertThat(runTest(PlacesTestCase.class, place, Map.of("meshguard.check", parameter)))
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
        "unsaid, 5, 5 s",
        "unsaid, 250ms, 250 ms",
        "unsaid, 2 m, 2 m",
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
    @CsvSource({"unsaid, ''", "unsaid, 0", "unsaid, 0 ms", "ofMethodThatDoesNotWait, 5 s"})
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
        return assertThat(runTest(PlacesTestCase.class, place, Map.of("meshguard." + policy, parameter)))
                .hasTest(place)
                .whichFailed();
    }

    /** One test for each location, named after the location. */
    @TrackAllocations
    static class PlacesTestCase {

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
