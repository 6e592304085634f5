package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakVerdict;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The captured origins are those of the nearest annotation, else of the parameter. */
class OriginsPolicyTests {

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
    void theNearestAnnotationCountsAsAWhole(String place, String parameter, boolean hasOrigin) {
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
        @TrackAllocations
        class Unsaid {
            @Test
            void unsaid(MeshDevice mesh) {
                Buffers.take(mesh);
            }
        }

        @Nested
        @TrackAllocations(origins = OriginCapture.ALLOCATIONS)
        class OnClass {
            @Test
            void ofClass(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(origins = OriginCapture.NONE)
            void ofMethod(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(grace = "0 s")
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
            @TrackAllocations(origins = OriginCapture.NONE)
            class InnerThatSays {
                @Test
                void ofNestedClass(MeshDevice mesh) {
                    Buffers.take(mesh);
                }
            }
        }
    }
}
