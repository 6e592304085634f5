package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureChecks;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected buffers may remain, within their bounds. */
class ExpectBuffersTests {
    @TestFactory
    Stream<DynamicTest> fixtures() {
        return FixtureChecks.of(
                TrackedTestCase.class, AddingTestCase.class, AloneTestCase.class, SharedMeshTestCase.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            anotherLabel | LEAKED            | Never matched: 1 (label "weights", because "loaded before")
            anotherOwner | LEAKED            | Never matched: 1 (
            oneLess      | STALE_EXPECTATION | STALE  1 expectation promises more than survived
            expired      | LEAKED            | LEAK  32 KiB in 8 DRAM buffers
            oneMore      | LEAKED            | because "seven are enough"); 1 more than that allows
            """)
    void anEntryThatDoesNotFitFailsTheTest(String test, Outcome outcome, String text) {
        assertThat(runTest(NotFittingTestCase.class, test, Map.of()))
                .hasSingleTest()
                .whichFailed()
                .withVerdict(outcome)
                .withTextContaining(text);
    }

    @Test
    void rejectsAnEntryOnANestedClassThatSharesAMesh() {
        assertThat(run(SharedWithNestedTestCase.class))
                .hasTest("keeps")
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@ExpectBuffers on ExpectBuffersTests$SharedWithNestedTestCase$InnerTestCase: an entry for a nested"
                                + " class that shares a mesh with lifetime = CLASS is rejected. Put it on"
                                + " ExpectBuffersTests$SharedWithNestedTestCase.");
    }

    @TrackAllocations
    static class TrackedTestCase {
        @Test
        @ExpectBuffers(
                type = BufferType.DRAM,
                size = 4_096,
                atMost = 8,
                label = "weights",
                origin = "TrackedTestCase.aBufferThatFitsEveryConditionIsExpected",
                because = "shared")
        void aBufferThatFitsEveryConditionIsExpected(MeshDevice mesh) {
            Buffers.take(mesh, "weights");
        }

        @Test
        @ExpectBuffers(
                devices = {0, 1, 2, 3, 4, 5, 6, 7},
                size = 4_096,
                atLeast = 8,
                atMost = 9,
                until = "9999-12-31",
                because = "shared")
        void boundsDevicesAndTimeAreConditionsToo(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class NotFittingTestCase {
        @Test
        @ExpectBuffers(label = "weights", because = "loaded before")
        void anotherLabel(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(owner = "program", because = "kept for the next run")
        void anotherOwner(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(exactly = 9, because = "one more than there are")
        void oneLess(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(until = "1999-12-31", because = "of old")
        void expired(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @ExpectBuffers(type = BufferType.DRAM, atMost = 7, because = "seven are enough")
        void oneMore(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    @ExpectBuffers(label = "outer", because = "of the class around")
    static class AddingTestCase {
        @Nested
        @ExpectBuffers(label = "class", because = "of the class")
        @ExpectBuffers(label = "class too", because = "of the class as well")
        class InnerTestCase {
            @Test
            @ExpectBuffers(label = "method", because = "of the method")
            void entriesOfMethodClassAndClassAroundAddUp(MeshDevice mesh) {
                Buffers.take(mesh, "outer");
                Buffers.take(mesh, "class");
                Buffers.take(mesh, "class too");
                Buffers.take(mesh, "method");
            }
        }
    }

    @ExpectBuffers(label = "weights", because = "shared")
    static class AloneTestCase {
        @Test
        @MustFail(verdict = Outcome.LEAKED)
        void anEntryAloneTracksTheTest(MeshDevice mesh) {
            Buffers.take(mesh, "cache");
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedMeshTestCase {
        @Test
        @MustFail(
                error = ExtensionConfigurationException.class,
                message =
                        "@ExpectBuffers on ExpectBuffersTests$SharedMeshTestCase#rejectsAnEntryOnAMethodOfALongerLivedMesh: an entry for one method of a mesh"
                                + " with lifetime = CLASS is rejected. Put it on the class, or let the mesh last for one"
                                + " test.")
        @ExpectBuffers(label = "weights", because = "shared")
        void rejectsAnEntryOnAMethodOfALongerLivedMesh(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedWithNestedTestCase {
        @Test
        void takesNothing(MeshDevice mesh) {}

        @Nested
        @ExpectBuffers(label = "weights", because = "shared")
        class InnerTestCase {
            @Test
            void keeps(MeshDevice mesh) {
                Buffers.take(mesh, "weights");
            }
        }
    }
}
