package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.runTest;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.ReportChannel;
import dev.meshguard.mesh.MeshDevice;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check is that of the nearest annotation, else of the parameter, regardless of the mesh settings there. */
class CheckPolicyTests {

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({
        "unsaid, '', FAILURE",
        "unsaid, clean, FAILURE",
        "unsaid, no-leaks, FAILURE",
        "unsaid, only-expected-system-buffers, FAILURE",
        "unsaid, none, NOWHERE",
        "ofClass, none, FAILURE",
        "ofMethod, '', NOWHERE",
        "ofMethodThatSaysSomethingElse, none, NOWHERE",
        "ofMethodThatSaysDefault, none, NOWHERE",
        "ofMethodWithAnotherMesh, none, NOWHERE",
        "ofEnclosingClass, none, FAILURE",
        "ofNestedClass, '', NOWHERE",
        "ofNestedClassWithAnotherMesh, none, NOWHERE"
    })
    void theNearestAnnotationCountsAsAWhole(String place, String parameter, ReportChannel telling) {
        var results = runTest(PlacesTestCase.class, place, Map.of("meshguard.check", parameter));

        Assertions.assertThat(ReportChannel.of(results, place)).isEqualTo(telling);
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
        @TrackAllocations(check = AllocationCheck.NO_LEAKS)
        class OnClass {
            @Test
            void ofClass(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(check = AllocationCheck.NONE)
            void ofMethod(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(grace = "0 s")
            void ofMethodThatSaysSomethingElse(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations(check = AllocationCheck.DEFAULT)
            void ofMethodThatSaysDefault(MeshDevice mesh) {
                Buffers.take(mesh);
            }

            @Test
            @TrackAllocations
            @FakeMesh(rows = 1)
            void ofMethodWithAnotherMesh(MeshDevice mesh) {
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
            @TrackAllocations(check = AllocationCheck.NONE)
            class InnerThatSays {
                @Test
                void ofNestedClass(MeshDevice mesh) {
                    Buffers.take(mesh);
                }
            }

            @Nested
            @TrackAllocations
            @FakeMesh(rows = 1)
            class InnerWithAnotherMesh {
                @Test
                void ofNestedClassWithAnotherMesh(MeshDevice mesh) {
                    Buffers.take(mesh);
                }
            }
        }
    }
}
