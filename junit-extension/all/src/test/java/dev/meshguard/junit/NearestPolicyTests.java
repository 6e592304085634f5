package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Grace and origins are those of the nearest annotation, which counts as a whole, else of the parameter. */
class NearestPolicyTests {

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
        assertThat(runTest(PlacesTestCase.class, place, Map.of("meshguard.grace", parameter)))
                .hasTest(place)
                .whichFailed()
                .withTextContaining("note    waited " + waited
                        + " for frees of other threads; none of 8 buffers came back meanwhile\n");
    }

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({"unsaid, ''", "unsaid, 0", "unsaid, 0 ms", "ofMethodThatDoesNotWait, 5 s"})
    void nobodyIsWaitedForWhereNoTimeIsGiven(String place, String parameter) {
        String text = assertThat(runTest(PlacesTestCase.class, place, Map.of("meshguard.grace", parameter)))
                .hasTest(place)
                .whichFailed()
                .text();

        Assertions.assertThat(text).doesNotContain("waited");
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
        LeakVerdict verdict = assertThat(runTest(PlacesTestCase.class, place, Map.of("meshguard.origins", parameter)))
                .hasTest(place)
                .whichFailed()
                .verdict();

        Assertions.assertThat(verdict.groups())
                .singleElement()
                .satisfies(group ->
                        Assertions.assertThat(group.origin().isPresent()).isEqualTo(hasOrigin));
    }

    /** One test for each location, named after the location. */
    static class PlacesTestCase {
        @Nested
        class Unsaid {
            @RegisterExtension
            static final MeshGuardExtension guard =
                    MeshGuardExtension.builder().timer(new SteppedTimer()).build();

            @Test
            void unsaid(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @Nested
        @TrackAllocations(grace = "2 s", origins = OriginCapture.ALLOCATIONS)
        class OnClass {
            @RegisterExtension
            static final MeshGuardExtension guard =
                    MeshGuardExtension.builder().timer(new SteppedTimer()).build();

            @Test
            void ofClass(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(grace = "3 s", origins = OriginCapture.NONE)
            void ofMethod(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(grace = "0 s")
            void ofMethodThatDoesNotWait(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(check = AllocationCheck.NO_LEAKS)
            void ofMethodThatSaysSomethingElse(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Nested
            class Inner {
                @Test
                void ofEnclosingClass(MeshDevice mesh) {
                    Buffers.take(mesh);
                }
            }

            @Nested
            @TrackAllocations(grace = "4 s", origins = OriginCapture.NONE)
            class InnerThatSays {
                @Test
                void ofNestedClass(MeshDevice mesh) {
                    Buffers.take(mesh);
                }
            }
        }
    }
}
