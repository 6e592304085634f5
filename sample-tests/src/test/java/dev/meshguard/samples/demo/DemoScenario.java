package dev.meshguard.samples.demo;

import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.Fixture;
import dev.meshguard.samples.support.LanguageModelRun;
import dev.meshguard.samples.support.MeshAllocation;
import org.junit.jupiter.api.Test;

/** The scenarios of the demo, each a test as its engineer could have written it. */
interface DemoScenario {

    /** Seeds 002 and 003: 36 KB of DRAM remain on every device. */
    @Fixture
    @TrackAllocations
    @FakeMesh(preset = RuntimePreset.OCTOBER_2025)
    class ThirtySixKilobytesTestCase {

        @Test
        void closesTheMeshWithItsProgramsStillCached(Ttnn ttnn, MeshDevice mesh) {
            MeshAllocation steps = new MeshAllocation(ttnn, mesh).compute();
            steps.freeTensors();
            steps.close();
        }
    }

    /** Seed 000: three L1 buffers remain on device 0. */
    @Fixture
    @TrackAllocations
    @FakeMesh(preset = RuntimePreset.OCTOBER_2025, defects = CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
    class ThreeL1BuffersTestCase {

        @Test
        void runsEveryStepOnARuntimeThatForgetsCircularBuffers(Ttnn ttnn, MeshDevice mesh) {
            new MeshAllocation(ttnn, mesh).run();
        }
    }

    /** Seed 001: 381 buffers of a language model remain. */
    @Fixture
    @TrackAllocations
    @FakeMesh(preset = RuntimePreset.OCTOBER_2025)
    class LanguageModelTestCase {

        private LanguageModelRun model;

        @Test
        void closesTheMeshWhileTheModelIsHeld(Ttnn ttnn) {
            MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(2, 4))
                    .withTraceRegionSize(30_000_000));
            model = new LanguageModelRun(mesh);
            model.run();
            model.releaseTrace();
            ttnn.closeMeshDevice(mesh);
        }
    }
}
