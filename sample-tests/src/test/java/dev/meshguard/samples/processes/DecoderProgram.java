package dev.meshguard.samples.processes;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.server.client.AllocationClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A separate program that decodes on a mesh and reports to the allocation server. */
final class DecoderProgram {

    private DecoderProgram() {}

    /** Returns the command that runs it, on the class path of this JVM. */
    static String[] command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DecoderProgram.class.getName()));
        command.addAll(Arrays.asList(arguments));
        return command.toArray(String[]::new);
    }

    public static void main(String[] arguments) {
        boolean keepsItsCache = Arrays.asList(arguments).contains("--keep-cache");
        // region: program
        try (AllocationClient client = AllocationClient.builder().connect()) {
            Ttnn ttnn = Ttnn.create(client);
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            Tensor cache = ttnn.empty(TensorShape.of(1, 8, 1024, 64), DataType.BFLOAT16, mesh);
            Tensor scores = ttnn.empty(TensorShape.of(1, 8, 32, 1024), DataType.BFLOAT16, mesh);
            ttnn.deallocate(scores);
            if (!keepsItsCache) {
                ttnn.deallocate(cache);
            }
            ttnn.closeMeshDevice(mesh);
        }
        // end region
    }
}
