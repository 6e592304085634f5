package dev.meshguard.verification.seeds;

import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.client.AllocationReporter;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code test_mesh_allocation.py} as it reports to an allocation server: the figures of the server that counts references. */
class MeshAllocationOverASocketTests {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void leavesThePrograms36KiBAndThenThreeAddressesOfWhichTheReportsDoNotSayWhatTheyAre() throws Exception {
        try (AllocationServer server = AllocationServer.builder()
                .socket(folder.resolve("server.sock"))
                .recordSize(RecordSize.BYTES_112)
                .processInspector(process -> Optional.empty())
                .start()) {
            try (AllocationReporter reporter = AllocationReporter.to(server.socketPath(), RecordSize.BYTES_112)) {
                Ttnn ttnn = Ttnn.builder(reporter)
                        .preset(RuntimePreset.OCTOBER_2025)
                        .defects(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
                        .build();
                MeshAllocation steps = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4)));
                steps.compute();
                steps.freeTensors();

                server.awaitQuiet(LONG);
                for (int device = 0; device < 8; device++) {
                    assertThat(server.tracker().liveBytes(device, BufferType.DRAM))
                            .isEqualTo(36_864);
                }
                assertThat(server.tracker().liveBuffers()).isEqualTo(19);

                steps.clearCache();

                server.awaitQuiet(LONG);
                assertThat(server.tracker().liveBytes(0, BufferType.L1)).isEqualTo(12_288);
                assertThat(server.tracker().liveBuffers()).isEqualTo(3);
                steps.close();
            }
            server.awaitQuiet(LONG);
            server.checkProcesses();
            server.awaitQuiet(LONG);

            LeakVerdict verdict = LeakCheck.create().examine(server.tracker().history());
            assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
            assertThat(verdict.survivors()).hasSize(3).allSatisfy(survivor -> {
                assertThat(survivor.status()).isEqualTo(SurvivorStatus.UNDECIDED);
                assertThat(survivor.diagnosis().evidence())
                        .extracting(Evidence::text)
                        .anyMatch(words -> words.startsWith("2 reports of this address are open"))
                        .anyMatch(words -> words.contains("Circular buffers stack upward from there"));
            });
        }
    }
}
