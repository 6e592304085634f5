package dev.meshguard.verification.runpages;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.Blocking;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what a page shows of a request that was rejected, and of replays that overwrite buffers. */
@InChromium
class IncidentsTests {

    private static final long MIB = 1 << 20;

    @Test
    void aShortageHasItsReasonItsHoldersAndTheMemoryAtThatMoment(Chromium chromium) {
        chromium.open(outOfMemory());

        assertThat(chromium.text("#outcome")).isEqualTo("Out of memory");
        assertThat(chromium.text("#headline")).startsWith("L1 fragmented: ");
        assertThat(chromium.texts("#incidents [data-fact=held] dd"))
                .hasSize(1)
                .first()
                .asString()
                .contains("label \"kv-cache\", allocated at");
        assertThat(chromium.value("document.querySelector('#shortage-space canvas').dataset.parts"))
                .as("a hole, the cache, a hole")
                .isEqualTo("3");
        assertThat(chromium.value("document.querySelector('#shortage-space canvas').getAttribute('aria-label')"))
                .asString()
                .startsWith("A bank of L1 when the request was rejected: 1 block, ");
    }

    @Test
    void aReplayHasTheBufferTheTraceAndTheLines(Chromium chromium) {
        chromium.open(overwritten());

        assertThat(chromium.text("#outcome")).isEqualTo("Overwritten");
        assertThat(chromium.text("#headline")).startsWith("16 KiB in 8 DRAM buffers by a replay");
        assertThat(chromium.text("#incidents .what")).contains("label \"staging\"");
        assertThat(chromium.text("#incidents .where")).contains("IncidentsTests.allocate");
        assertThat(chromium.text("#incidents [data-fact=why] dd")).contains("trace 0 of mesh 0 writes there");
        assertThat(chromium.is("document.querySelector('#incidents a.event-link') !== null"))
                .isTrue();
    }

    @Test
    void aRunWithoutIncidentsHasNoCard(Chromium chromium) {
        chromium.open(SampleRuns.leak().file());

        assertThat(chromium.is("document.querySelector('#incidents') === null")).isTrue();
    }

    @Test
    void fitsEveryWidthAndPassesTheRulesOfAxe(Chromium chromium) throws IOException {
        for (Path page : List.of(outOfMemory(), overwritten())) {
            chromium.open(page);
            chromium.run(EveryWidthTests.axe());
            for (int width : List.of(390, 1280)) {
                chromium.resize(width);
                chromium.await("innerWidth === " + width);
                EveryWidthTests.assertNoViolation(chromium, page + " at " + width + " pixels");
                assertThat(chromium.overflow())
                        .as("overflow of %s at %s pixels", page, width)
                        .isZero();
            }
        }
    }

    private static Path outOfMemory() {
        AllocationTracker tracker = AllocationTracker.create();
        MeshDevice mesh = Ttnn.create(tracker).openMeshDevice();
        MeshBuffer first = allocate(mesh, "layer 1", 28 * MIB, L1);
        MeshBuffer cache = allocate(mesh, "kv-cache", 28 * MIB, L1);
        first.deallocate();
        InsufficientMemoryException error =
                catchThrowableOfType(InsufficientMemoryException.class, () -> mesh.allocate(L1, 40 * MIB));
        cache.deallocate();
        mesh.close();
        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        VerdictReport report =
                VerdictReport.of(verdict).failedBy(error.shortage().orElseThrow());
        return new SampleRun(verdict, report, RunPage.of("IncidentsTests", report)).file();
    }

    private static Path overwritten() {
        AllocationTracker tracker = AllocationTracker.create();
        MeshDevice mesh = Ttnn.create(tracker).openMeshDevice();
        TraceId trace = mesh.beginMeshTrace(0);
        mesh.allocate(DRAM, 2_048).deallocate();
        mesh.endMeshTrace(0, trace, 1_000);
        MeshBuffer staging = allocate(mesh, "staging", 2_048, DRAM);
        mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
        mesh.releaseMeshTrace(trace);
        staging.deallocate();
        mesh.close();
        return SampleRun.of("IncidentsTests", tracker).file();
    }

    private static MeshBuffer allocate(MeshDevice mesh, String label, long bytes, BufferType type) {
        return mesh.allocate(BufferConfig.of(type, bytes, 2_048).named(label));
    }
}
