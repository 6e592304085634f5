package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.ReportChannel;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The nearest location that sets the handling of a failed test's check wins. */
class OnFailurePolicyTests {

    @ParameterizedTest(name = "{0}, parameter {1}")
    @CsvSource({
        "unsaid, '', SUPPRESSED",
        "unsaid, attach, SUPPRESSED",
        "unsaid, report, PUBLISHED",
        "unsaid, skip, NOWHERE",
        "ofField, '', PUBLISHED",
        "ofField, skip, PUBLISHED",
        "ofClass, '', PUBLISHED",
        "ofClass, skip, PUBLISHED",
        "ofMethod, report, NOWHERE",
        "ofMethodThatSaysSomethingElse, skip, PUBLISHED",
        "ofEnclosingClass, skip, PUBLISHED",
        "ofNestedClass, skip, SUPPRESSED",
        "ofMethodOfNestedClass, report, NOWHERE",
        "ofSuperclass, skip, PUBLISHED",
        "ofSubclass, report, NOWHERE",
        "ofInterface, skip, PUBLISHED",
        "ofComposedAnnotation, skip, PUBLISHED",
        "ofClassAndNotOfField, skip, NOWHERE",
        "ofFieldWhereTheClassSaysSomethingElse, skip, PUBLISHED"
    })
    void theNearestPlaceThatSaysItCounts(String place, String parameter, ReportChannel telling) {
        var results = runTest(PlacesTestCase.class, place, Map.of("meshguard.on-failure", parameter));

        Assertions.assertThat(ReportChannel.of(results, place)).isEqualTo(telling);
    }

    @Test
    void whatIsOnlyPublishedIsTheWholeVerdict() {
        assertThat(run(ReportedTestCase.class)).hasSingleTest().withPublishedText("""
                LEAK  1 leak · 8 buffers · 32 KiB (32768 B) still allocated after close_mesh_device      [8 allocated = 0 freed + 8 leaked]
                1. DRAM 4 KiB (4096 B) x 8   devices ●●●●●●●●   LOST: no handle to it is reachable any more, and no free of it was reported (event #45)
                   -> at dev.meshguard.junit.OnFailurePolicyTests.leak(OnFailurePolicyTests.java:NN)
                   the allocator reported 0x2d4c40 (2968640) as allocated when close began (event #30)
                   allocated in TEST (events #17 to #24) at 0x2d4c40 (2968640), unlabelled

                Tracked  allocated                    remaining
                DRAM     8 buffers, 32 KiB (32768 B)  8 buffers, 32 KiB (32768 B)
                Teardown     freed    remaining
                CACHE_CLEAR  nothing  DRAM 4 KiB on each of 8 devices
                CLOSE        nothing  DRAM 4 KiB on each of 8 devices
                Timeline     live bytes, peak of the phase     peak -> end
                TEST         |##############################|  32 KiB -> 32 KiB
                CACHE_CLEAR  |##############################|  32 KiB -> 32 KiB
                CLOSE        |##############################|  32 KiB -> 32 KiB

                LOST: Keep the handle until the buffer is freed: without it, no code can free it.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, size = 4096, atMost = 8, origin = "OnFailurePolicyTests.leak", because = "…")
                   as a line of a file: DRAM size 4096 count atMost 8 origin "OnFailurePolicyTests.leak" because "…"
                Note: mesh 0 was left open; MeshGuard cleared its program cache and closed it
                Note: the test threw IllegalStateException before this check, so what frees memory may not have run
                Reproduce: mvn test -Dtest='OnFailurePolicyTests$ReportedTestCase#leaks'""");
    }

    @Test
    void aLeakWithoutItFailureFailsAllTheSame() {
        assertThat(run(SkippingTestCase.class)).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
    }

    @Test
    void anErrorThatATemplateInjectsIsNoFailure() {
        assertThat(run(InjectedTestCase.class, Map.of("meshguard.on-failure", "skip")))
                .hasInvocation("decode", 3)
                .whichFailed()
                .withVerdict(Outcome.LEAKED);
    }

    private static void leak(MeshDevice mesh) {
        Buffers.take(mesh);
        throw new IllegalStateException("the test itself");
    }

    /** One test for each location, named after the location. */
    static class PlacesTestCase {

        @Nested
        @TrackAllocations
        class Unsaid {
            @Test
            void unsaid(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Nested
        class InField {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.builder()
                    .onFailure(IncompleteTestPolicy.REPORT)
                    .build();

            @Test
            void ofField(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Nested
        @TrackAllocations(onFailure = IncompleteTestPolicy.REPORT)
        class OnClass {
            @Test
            void ofClass(MeshDevice mesh) {
                leak(mesh);
            }

            @Test
            @TrackAllocations(onFailure = IncompleteTestPolicy.SKIP)
            void ofMethod(MeshDevice mesh) {
                leak(mesh);
            }

            @Test
            @TrackAllocations(onAbort = IncompleteTestPolicy.SKIP)
            void ofMethodThatSaysSomethingElse(MeshDevice mesh) {
                leak(mesh);
            }

            @Nested
            class Inner {
                @Test
                void ofEnclosingClass(MeshDevice mesh) {
                    leak(mesh);
                }
            }

            @Nested
            @TrackAllocations(onFailure = IncompleteTestPolicy.ATTACH)
            class InnerThatSays {
                @Test
                void ofNestedClass(MeshDevice mesh) {
                    leak(mesh);
                }

                @Test
                @TrackAllocations(onFailure = IncompleteTestPolicy.SKIP)
                void ofMethodOfNestedClass(MeshDevice mesh) {
                    leak(mesh);
                }
            }
        }

        @TrackAllocations(onFailure = IncompleteTestPolicy.REPORT)
        abstract static class Super {}

        @Nested
        @TrackAllocations(onAbort = IncompleteTestPolicy.SKIP)
        class Sub extends Super {
            @Test
            void ofSuperclass(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Nested
        @TrackAllocations(onFailure = IncompleteTestPolicy.SKIP)
        class SubThatSays extends Super {
            @Test
            void ofSubclass(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @TrackAllocations(onFailure = IncompleteTestPolicy.REPORT)
        interface Reporting {}

        @Nested
        class Implementing implements Reporting {
            @Test
            void ofInterface(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Retention(RetentionPolicy.RUNTIME)
        @TrackAllocations(onFailure = IncompleteTestPolicy.REPORT)
        @interface Lenient {}

        @Nested
        @TrackAllocations(onAbort = IncompleteTestPolicy.SKIP)
        @Lenient
        class Composed {
            @Test
            void ofComposedAnnotation(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Nested
        @TrackAllocations(onFailure = IncompleteTestPolicy.SKIP)
        class FieldAndClass {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.builder()
                    .onFailure(IncompleteTestPolicy.REPORT)
                    .build();

            @Test
            void ofClassAndNotOfField(MeshDevice mesh) {
                leak(mesh);
            }
        }

        @Nested
        @TrackAllocations(onAbort = IncompleteTestPolicy.SKIP)
        class FieldAndClassThatSaysSomethingElse {
            @RegisterExtension
            static final MeshGuardExtension guard = MeshGuardExtension.builder()
                    .onFailure(IncompleteTestPolicy.REPORT)
                    .build();

            @Test
            void ofFieldWhereTheClassSaysSomethingElse(MeshDevice mesh) {
                leak(mesh);
            }
        }
    }

    @TrackAllocations(onFailure = IncompleteTestPolicy.REPORT)
    static class ReportedTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            leak(mesh);
        }
    }

    @TrackAllocations(onFailure = IncompleteTestPolicy.SKIP)
    static class SkippingTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    static class InjectedTestCase {
        @FailEachAllocation
        void decode(MeshDevice mesh) {
            MeshBuffer weights = Buffers.take(mesh);
            Buffers.take(mesh).deallocate();
            weights.deallocate();
        }
    }
}
