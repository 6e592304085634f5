package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.JupiterRun.runTest;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimePreset;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An invalid value is rejected with its location, the value and the allowed values. */
class RejectedValuesTests {

    /** With a default of -1 a negative number would match anything without an error. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            noRows              | FakeMesh         | rows = 0 is rejected. Give 1 or more; a mesh has at most 32 devices.
            noColumns           | FakeMesh         | columns = -1 is rejected. Give 1 or more; a mesh has at most 32 devices.
            tooLarge            | FakeMesh         | rows = 8, columns = 5 is rejected. The largest system has 32 devices (8x4): ask for at most 32.
            unknownArchitecture | FakeMesh         | architecture = BLACKHOLE, preset = OCTOBER_2025 is rejected. The constants of BLACKHOLE are known for MAY_2026 only.
            negativeRegion      | FakeMesh         | traceRegionSize = -1 is rejected. Give a number of bytes, 0 or more.
            threeQueues         | FakeMesh         | numCommandQueues = 3 is rejected. A mesh has 1 or 2.
            twoModels           | FakeMesh         | reporting = [COMPLETE, TRACKING_BRANCH] is rejected. Give at most one.
            lastsForClass       | TrackAllocations | lifetime = CLASS is rejected. On a method only TEST has a meaning: put CLASS on the class.
            noReason            | ExpectBuffers    | because = " " is rejected. Say why the buffers are expected.
            pasted              | ExpectBuffers    | because = "…" is rejected. Say why the buffers are expected.
            twoTypes            | ExpectBuffers    | type = [L1, DRAM] is rejected. Give at most one; write an entry for each type.
            negativeDevice      | ExpectBuffers    | device = -1 is rejected. Give 0 or more, or leave it out to allow any.
            negativeDevices     | ExpectBuffers    | devices = -1 is rejected. Give 0 or more, or leave it out to allow any.
            negativeSize        | ExpectBuffers    | size = -1 is rejected. Give 0 or more, or leave it out to allow any.
            negativeAtMost      | ExpectBuffers    | atMost = -1 is rejected. Give 0 or more, or leave it out to allow any.
            negativeAtLeast     | ExpectBuffers    | atLeast = -1 is rejected. Give 0 or more, or leave it out to allow any.
            negativeExactly     | ExpectBuffers    | exactly = -1 is rejected. Give 0 or more, or leave it out to allow any.
            severalSizes        | ExpectBuffers    | size = [64, 128] is rejected. Give at most one.
            twoBounds           | ExpectBuffers    | exactly and atMost is rejected. Give exactly or atMost.
            twoDevices          | ExpectBuffers    | device and devices is rejected. Give device or devices.
            backwards           | ExpectBuffers    | atLeast = 8, atMost = 2 is rejected. Let atLeast be at most atMost.
            noDay               | ExpectBuffers    | An expected buffer's until is the last day on which it is expected, as an ISO date like 2026-12-31: "next year" was given.
            line                | ExpectBuffers    | An expected buffer's origin is a class, a method or a package, for example KvCacheTest, KvCacheTest.weights or dev.example.model.*: "Model.java:12" was given.
            """)
    void namesTheAnnotationTheValueAndTheWayOut(String test, String annotation, String refusal) {
        assertThat(runTest(RejectedTestCase.class, test, Map.of()))
                .hasTest(test)
                .whichFailed()
                .with(
                        ExtensionConfigurationException.class,
                        "@" + annotation + " on RejectedValuesTests$RejectedTestCase#" + test + ": " + refusal);
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
