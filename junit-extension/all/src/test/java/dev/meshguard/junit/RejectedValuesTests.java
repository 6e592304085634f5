package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An invalid value is rejected with its location, the value and the allowed values. */
class RejectedValuesTests {

    @Test
    void noRows() {
        assertRejected(
                "noRows",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#noRows: rows = 0 is rejected. Give 1 or more; a"
                        + " mesh has at most 32 devices.");
    }

    @Test
    void noColumns() {
        assertRejected(
                "noColumns",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#noColumns: columns = -1 is rejected. Give 1 or"
                        + " more; a mesh has at most 32 devices.");
    }

    @Test
    void moreDevicesThanAnySystemHas() {
        assertRejected(
                "tooLarge",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#tooLarge: rows = 8, columns = 5 is rejected. The"
                        + " largest system has 32 devices (8x4): ask for at most 32.");
    }

    @Test
    void anArchitectureThatTheVersionDoesNotKnow() {
        assertRejected(
                "unknownArchitecture",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#unknownArchitecture: architecture = BLACKHOLE,"
                        + " preset = OCTOBER_2025 is rejected. The constants of BLACKHOLE are known for MAY_2026 only.");
    }

    @Test
    void aRegionOfNegativeSize() {
        assertRejected(
                "negativeRegion",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#negativeRegion: traceRegionSize = -1 is rejected."
                        + " Give a number of bytes, 0 or more.");
    }

    @Test
    void aRegionOfL1ThatIsLargerThanL1() {
        assertRejected(
                "largeL1Region",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#largeL1Region: l1SmallSize = 9223372036854775807 is"
                        + " rejected. Give at most 1395328, a number of bytes: L1 of a core of WORMHOLE_B0 has 1395360 B above what the"
                        + " runtime keeps.");
    }

    @Test
    void aTraceRegionThatIsLargerThanABank() {
        assertRejected(
                "largeTraceRegion",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#largeTraceRegion: traceRegionSize ="
                        + " 9223372036854775807 is rejected. Give at most 1070773184, a number of bytes: a DRAM bank of"
                        + " WORMHOLE_B0 has 1070773184 B above what the runtime keeps.");
    }

    @Test
    void threeCommandQueues() {
        assertRejected(
                "threeQueues",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#threeQueues: numCommandQueues = 3 is rejected. A"
                        + " mesh has 1 or 2.");
    }

    @Test
    void twoReportingModels() {
        assertRejected(
                "twoModels",
                "@FakeMesh on RejectedValuesTests$RejectedTestCase#twoModels: reporting = [COMPLETE,"
                        + " TRACKING_BRANCH] is rejected. Give at most one.");
    }

    @Test
    void aMeshOfAMethodThatLastsForTheClass() {
        assertRejected(
                "lastsForClass",
                "@TrackAllocations on RejectedValuesTests$RejectedTestCase#lastsForClass: lifetime = CLASS is rejected. On a"
                        + " method only TEST has a meaning: put CLASS on the class.");
    }

    @Test
    void anExpectationWithoutReason() {
        assertRejected(
                "noReason",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#noReason: because = \" \" is rejected. Say why the buffers are expected.");
    }

    @Test
    void anExpectationOfTwoTypes() {
        assertRejected(
                "twoTypes",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#twoTypes: type = [L1, DRAM] is rejected. Give at"
                        + " most one; write an entry for each type.");
    }

    /** With a default of -1 each of these would match anything without an error. */
    @ParameterizedTest
    @ValueSource(strings = {"device", "devices", "size", "atMost", "atLeast", "exactly"})
    void anExpectationOfANegativeNumber(String attribute) {
        String test = "negative" + Character.toUpperCase(attribute.charAt(0)) + attribute.substring(1);
        assertRejected(
                test,
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#" + test + ": " + attribute
                        + " = -1 is rejected. Give 0 or more, or leave it out to allow any.");
    }

    @Test
    void anExpectationOfTwoNumbersForOneThing() {
        assertRejected(
                "severalSizes",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#severalSizes: size = [64, 128] is rejected. Give at most"
                        + " one.");
    }

    @Test
    void anExpectationWithTheReasonOfAFailure() {
        assertRejected(
                "pasted",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#pasted: because = \"…\" is rejected. Say why the buffers are expected.");
    }

    @Test
    void anExpectationOfTwoBounds() {
        assertRejected(
                "twoBounds",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#twoBounds: exactly and atMost is rejected. Give exactly or"
                        + " atMost.");
    }

    @Test
    void anExpectationOfOneDeviceAndOfSeveral() {
        assertRejected(
                "twoDevices",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#twoDevices: device and devices is rejected. Give device or"
                        + " devices.");
    }

    @Test
    void anExpectationOfMoreThanItsMost() {
        assertRejected(
                "backwards",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#backwards: atLeast = 8, atMost = 2 is rejected. Let"
                        + " atLeast be at most atMost.");
    }

    @Test
    void anExpectationUntilNoDay() {
        assertRejected(
                "noDay",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#noDay: An expected buffer's until is the last day on which it is expected, as an ISO date like 2026-12-31: \"next year\" was given.");
    }

    @Test
    void anExpectationOfALine() {
        assertRejected(
                "line",
                "@ExpectBuffers on RejectedValuesTests$RejectedTestCase#line: An expected buffer's origin is a class, a method or"
                        + " a package, for example KvCacheTest, KvCacheTest.weights or dev.example.model.*: \"Model.java:12\""
                        + " was given.");
    }

    @Test
    void aClassIsNamedToo() {
        assertThat(run(RejectedClassTestCase.class))
                .hasSingleTest()
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@FakeMesh on RejectedValuesTests$RejectedClassTestCase: rows = 0 is rejected. Give 1 or"
                                + " more; a mesh has at most 32 devices.");
    }

    @Test
    void theBuilderRejectsImmediately() {
        FakeMeshSource.Builder builder = FakeMeshSource.builder().mesh(0, 4);

        Assertions.assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(builder::build)
                .withMessage("FakeMeshSource: rows = 0 is rejected. Give 1 or more; a mesh has at most 32 devices.");
    }

    private static void assertRejected(String test, String message) {
        assertThat(run(RejectedTestCase.class))
                .hasTest(test)
                .whichFailed()
                .with(ExtensionConfigurationException.class, message);
    }

    static class RejectedTestCase {
        @Test
        @TrackAllocations
        @FakeMesh(rows = 0)
        void noRows() {}

        @Test
        @TrackAllocations
        @FakeMesh(columns = -1)
        void noColumns() {}

        @Test
        @TrackAllocations
        @FakeMesh(rows = 8, columns = 5)
        void tooLarge() {}

        @Test
        @TrackAllocations
        @FakeMesh(architecture = Architecture.BLACKHOLE, preset = RuntimePreset.OCTOBER_2025)
        void unknownArchitecture() {}

        @Test
        @TrackAllocations
        @FakeMesh(reporting = {ReportingModel.COMPLETE, ReportingModel.TRACKING_BRANCH})
        void twoModels() {}

        @Test
        @TrackAllocations
        @FakeMesh(l1SmallSize = Long.MAX_VALUE)
        void largeL1Region(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @TrackAllocations
        @FakeMesh(traceRegionSize = Long.MAX_VALUE)
        void largeTraceRegion(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        @TrackAllocations
        @FakeMesh(traceRegionSize = -1)
        void negativeRegion() {}

        @Test
        @TrackAllocations
        @FakeMesh(numCommandQueues = 3)
        void threeQueues() {}

        @Test
        @TrackAllocations(lifetime = TrackingLifetime.CLASS)
        void lastsForClass() {}

        @Test
        @ExpectBuffers(because = " ")
        void noReason() {}

        @Test
        @ExpectBuffers(
                type = {BufferType.L1, BufferType.DRAM},
                because = "both")
        void twoTypes() {}

        @Test
        @ExpectBuffers(device = -1, because = "less than none")
        void negativeDevice() {}

        @Test
        @ExpectBuffers(devices = -1, because = "less than none")
        void negativeDevices() {}

        @Test
        @ExpectBuffers(size = -1, because = "less than none")
        void negativeSize() {}

        @Test
        @ExpectBuffers(atMost = -1, because = "less than none")
        void negativeAtMost() {}

        @Test
        @ExpectBuffers(atLeast = -1, because = "less than none")
        void negativeAtLeast() {}

        @Test
        @ExpectBuffers(exactly = -1, because = "less than none")
        void negativeExactly() {}

        @Test
        @ExpectBuffers(
                size = {64, 128},
                because = "two sizes")
        void severalSizes() {}

        @Test
        @ExpectBuffers(because = "…")
        void pasted() {}

        @Test
        @ExpectBuffers(exactly = 8, atMost = 8, because = "both")
        void twoBounds() {}

        @Test
        @ExpectBuffers(
                device = 0,
                devices = {1, 2},
                because = "both")
        void twoDevices() {}

        @Test
        @ExpectBuffers(atLeast = 8, atMost = 2, because = "backwards")
        void backwards() {}

        @Test
        @ExpectBuffers(until = "next year", because = "later")
        void noDay() {}

        @Test
        @ExpectBuffers(origin = "Model.java:12", because = "there")
        void line() {}
    }

    @TrackAllocations
    @FakeMesh(rows = 0)
    static class RejectedClassTestCase {
        @Test
        void test(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }
}
