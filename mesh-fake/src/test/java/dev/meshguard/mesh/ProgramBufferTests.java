package dev.meshguard.mesh;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.L1_SMALL;
import static dev.meshguard.mesh.Rejections.assertIllegalArgument;
import static dev.meshguard.mesh.Rejections.assertRuntimeError;
import static dev.meshguard.mesh.tensor.DataType.BFLOAT16;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The buffers that a program owns as long as it is in the program cache. */
class ProgramBufferTests {

    private static final OperationProfile CONVOLUTION =
            OperationProfile.of("conv2d", 1, 1).withProgramBuffers(2, "halo config", L1_SMALL, 256);

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn = Ttnn.create(reports);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
            .withMeshShape(MeshShape.of(1, 1))
            .withL1SmallSize(1_024)
            .withNumCommandQueues(2));
    private final Tensor input = tensor(1);

    @BeforeEach
    void forgetTheOpening() {
        reports.forget();
    }

    @Test
    void areAllocatedAfterTheResultAndBeforeTheProgramIsCached() {
        run(CONVOLUTION, input);

        assertThat(reports.lines())
                .containsExactly(
                        "allocated 0 DRAM 2970688+2048 NON_OWNING",
                        "allocated 0 L1_SMALL 1498880+16384 NON_OWNING",
                        "allocated 0 L1_SMALL 1498624+16384 NON_OWNING",
                        "cached program 1 (conv2d) in program cache",
                        "allocated 0 L1 103776+2048 OWNING",
                        "allocated 0 DRAM 1073739776+2048 NON_OWNING",
                        "freed 0 DRAM 2970688 NON_OWNING");
        assertThat(reports.requests())
                .filteredOn(details -> details.label().equals(Optional.of("halo config")))
                .hasSize(2)
                .allSatisfy(details -> assertThat(details.owner()).hasValue(Owner.program("1 (conv2d)")));
    }

    @Test
    void areAllocatedForEachOfTheNeedsThatShareAName() {
        run(OperationProfile.of("conv2d", 1, 1), input);
        run(CONVOLUTION, input);
        run(OperationProfile.of("conv2d", 1, 1).withProgramBuffers(1, "indices", L1_SMALL, 128), input);

        assertThat(mesh.numProgramCacheEntries()).isEqualTo(3);
        assertThat(mesh.statistics(L1_SMALL).totalAllocated()).isEqualTo(2 * 256 + 128);
    }

    @Test
    void areNotFreedByTheCloseOfTheMesh() {
        run(CONVOLUTION, input);
        reports.forget();

        mesh.close();
        assertThat(reports.lines("freed 0 L1_SMALL")).isEmpty();

        mesh.destroy();
        assertThat(reports.lines("freed 0 L1_SMALL")).hasSize(2);
    }

    @Test
    void leaveNothingBehindIfOneHasNoRoom() {
        OperationProfile large = CONVOLUTION.withProgramBuffers(2, "indices", L1_SMALL, 512);

        assertThatThrownBy(() -> run(large, input)).isInstanceOf(DeviceOutOfMemoryException.class);

        assertThat(mesh.statistics(L1_SMALL).totalAllocated()).isZero();
        assertThat(mesh.statistics(DRAM).totalAllocated()).as("the input").isEqualTo(2_048);
        assertThat(mesh.numProgramCacheEntries()).isZero();
    }

    @Test
    void remainInTheCacheIfTheProgramIsRejectedAfterwards() {
        OperationProfile tooLarge =
                OperationProfile.of("conv2d", 1, 1_000).withProgramBuffers(2, "halo config", L1_SMALL, 256);

        assertThatThrownBy(() -> run(tooLarge, input)).isInstanceOf(MeshRuntimeException.class);

        assertThat(mesh.numProgramCacheEntries()).isEqualTo(1);
        assertThat(reports.lines("freed 0 L1_SMALL")).isEmpty();
        mesh.clearProgramCache();
        assertThat(reports.lines("freed 0 L1_SMALL")).hasSize(2);
    }

    @Test
    void areNotAllocatedDuringACaptureWhichCannotWriteThem() {
        TraceId trace = mesh.beginMeshTrace(0);
        assertRuntimeError(() -> run(CONVOLUTION, input), "Writes are not supported during trace capture.");
        mesh.endMeshTrace(0, trace, 1_000);
        mesh.beginMeshTrace(1);
        reports.forget();

        assertThatIllegalStateException()
                .isThrownBy(() -> run(CONVOLUTION, input))
                .withMessageStartingWith("Cannot use command queue 0");

        assertThat(reports.lines("allocated")).isEmpty();
        assertThat(mesh.statistics(L1_SMALL).totalAllocated()).isZero();
        assertThat(mesh.numProgramCacheEntries()).isZero();
    }

    @Test
    void mayBeGlobalSemaphores() {
        run(OperationProfile.of("all_reduce", 0).withGlobalSemaphores(8), input);

        assertThat(mesh.statistics(L1).totalAllocated()).isEqualTo(8 * 32);
    }

    @Test
    void lieOnTheComputeCores() {
        assertIllegalArgument(
                () -> CONVOLUTION.withProgramBuffers(1, "table", DRAM, 64),
                "Cannot keep \"table\" of a program in DRAM: it lies on the compute cores, in L1 or L1_SMALL");
        assertIllegalArgument(
                () -> CONVOLUTION.withProgramBuffers(1, "table", L1, 0),
                "Cannot keep \"table\" of a program in 0 B of each core: it has at least 1 B");
        assertIllegalArgument(
                () -> CONVOLUTION.withGlobalSemaphores(0), "Cannot add 0 program buffers to conv2d: add at least one");
    }

    private void run(OperationProfile operation, Tensor on) {
        ttnn.launch(operation, on.spec(), on).close();
    }

    private Tensor tensor(int tiles) {
        return ttnn.empty(TensorShape.of(32, 32 * tiles), BFLOAT16, mesh);
    }
}
