package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that receives reports of programs. */
class ServerPageTests {

    @TempDir
    Path folder;

    @Test
    void isAskedWhatIsLeft() throws IOException, InterruptedException {
        // region: serve
        try (AllocationServer server = AllocationServer.builder()
                .socket(folder.resolve("server.sock"))
                .recordSize(RecordSize.BYTES_112)
                .start()) {
            runProgram(server.socketPath());

            server.awaitQuiet(Duration.ofSeconds(10));
            server.checkProcesses();
            server.tracker().checked();
            assertThat(server.tracker().history()).noLeaks().hasBalancedReports();
        }
        // end region
    }

    static void runProgram(Path socket) {
        try (AllocationClient client = AllocationClient.connect(socket, RecordSize.BYTES_112)) {
            Ttnn ttnn = Ttnn.create(client);
            MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
            Tensor weights = ttnn.empty(TensorShape.of(1024, 1024), DataType.BFLOAT16, mesh);
            ttnn.deallocate(weights);
            ttnn.closeMeshDevice(mesh);
        }
    }
}
