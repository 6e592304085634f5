package dev.meshguard.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorShape;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares addresses, sizes and reports with those seen on a T3000 in October 2025. */
class OctoberFiguresTests {

    private final RecordedReports reports = new RecordedReports();
    private final Ttnn ttnn =
            Ttnn.builder(reports).preset(RuntimePreset.OCTOBER_2025).build();

    @Test
    void givesTensorsTheAddressesAndSizesOfTheRealRun() {
        MeshDevice mesh = ttnn.openMeshDevice();
        Tensor a = tensor(ttnn, mesh, 512, 512);
        Tensor b = tensor(ttnn, mesh, 512, 512);
        Tensor sum = ttnn.add(a, b);
        Tensor c = tensor(ttnn, mesh, 256, 128);
        Tensor d = tensor(ttnn, mesh, 128, 256);

        assertThat(List.of(a, b, sum, c, d, ttnn.matmul(c, d)))
                .extracting(Tensor::address, tensor -> tensor.buffer().size())
                .containsExactly(
                        tuple(2560032L, 4194304L),
                        tuple(2910240L, 4194304L),
                        tuple(3260448L, 4194304L),
                        tuple(3610656L, 524288L),
                        tuple(3655712L, 524288L),
                        tuple(3700768L, 1048576L));
    }

    @Test
    void reportsKernelBinariesTwiceAndCircularBuffersOnDevice0() {
        MeshDevice mesh = ttnn.openMeshDevice();
        Tensor a = tensor(ttnn, mesh, 512, 512);
        Tensor b = tensor(ttnn, mesh, 512, 512);
        ttnn.add(a, b);
        Tensor c = tensor(ttnn, mesh, 256, 128);
        Tensor d = tensor(ttnn, mesh, 128, 256);
        reports.forget();

        ttnn.matmul(c, d);

        assertThat(reports.lines("allocated 0"))
                .containsExactly(
                        "allocated 0 DRAM 3700768+1048576 NON_OWNING",
                        "allocated 0 L1 101152+4096 OWNING",
                        "allocated 0 L1 105248+4096 OWNING",
                        "allocated 0 L1 109344+2048 OWNING",
                        "allocated 0 DRAM 1073737728+24576 NON_OWNING",
                        "allocated 0 DRAM 1073737728+24576 NON_OWNING");
        assertThat(reports.lines("allocated 7"))
                .containsExactly(
                        "allocated 7 DRAM 3700768+1048576 NON_OWNING",
                        "allocated 7 DRAM 1073737728+24576 NON_OWNING",
                        "allocated 7 DRAM 1073737728+24576 NON_OWNING");
        assertThat(reports.lines("freed 7")).containsExactly("freed 7 DRAM 1073737728 NON_OWNING");
    }

    /** Seed 004: "you would need to run separate programs on each device" to see circular buffers everywhere. */
    @Test
    void reportsCircularBuffersOfSeparateProgramsOnEachDevice() {
        MeshDevice mesh = ttnn.openMeshDevice();

        for (int device : mesh.deviceIds()) {
            mesh.enqueueProgram(device, ttnn.createProgram("copy").addCircularBuffer(CircularBufferConfig.of(4_096)));
        }

        assertThat(reports.lines("allocated"))
                .containsExactlyElementsOf(IntStream.range(0, 8)
                        .mapToObj(device -> "allocated " + device + " L1 101152+4096 OWNING")
                        .toList());
    }

    private static Tensor tensor(Ttnn ttnn, MeshDevice mesh, int height, int width) {
        return ttnn.empty(
                TensorShape.of(8, 8, height, width), DataType.BFLOAT16, mesh, TensorDistribution.sharded2d(0, 1));
    }
}
