package dev.meshguard.verification.seeds;

import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
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
import dev.meshguard.verification.corpus.route.Routes;
import dev.meshguard.verification.corpus.writing.ServerLogWriter;
import dev.meshguard.verification.corpus.writing.ServerLogWriter.Generation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
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

            AllocationHistory history = server.tracker().history();
            long process = ProcessHandle.current().pid();
            String log = ServerLogWriter.logOf(history, Generation.DECIMAL, process);
            assertThat(log.lines().filter(line -> line.contains("Freed buffer 3700768 on device")))
                    .as("the frees that seed 004 expects of a runtime that reports them")
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 8)
                            .mapToObj(device -> "✗ [PID " + process + "] Freed buffer 3700768 on device " + device
                                    + " (1048576 bytes, FINAL)")
                            .toList());
            assertThat(log).contains("   ✓ Removed 3 buffers (0.0117188 MB) from PID " + process + "\n");
            assertThat(reports(Routes.read(log).history())).isEqualTo(reports(history));
            LeakVerdict verdict = LeakCheck.create().examine(history);
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

    private static List<String> reports(AllocationHistory history) {
        return history.events().stream()
                .filter(event -> (event instanceof HistoryEvent.Allocated || event instanceof HistoryEvent.Freed))
                .map(event -> event.toString().replaceFirst("^#\\d+ ", ""))
                .toList();
    }
}
