package dev.meshguard.history;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.history.Anomaly.Kind.HELD_BY_TWO_ALLOCATORS;
import static dev.meshguard.history.Anomaly.Kind.SIZE_CHANGE;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.on;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.Stories;
import dev.meshguard.verdict.Story;
import org.junit.jupiter.api.Test;

/** Memory that two meshes hold at one time, and cases that only look like it. */
class MeshOverlapTests {

    @Test
    void anAddressAllocatedByTwoMeshesIsOneOverlapWithBothSides() {
        var history = parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), 0x1000, 0x80)
                .onMesh(1)
                .recorded();

        Anomaly anomaly = only(history);
        HistoryEvent.Allocated report = (HistoryEvent.Allocated) anomaly.event();
        assertThat(report.request().details().mesh()).hasValue(1);
        assertThat(anomaly.generation().orElseThrow().mesh()).hasValue(0);
        assertThat(anomaly.generation().orElseThrow().allocatedAt()).isEqualTo(4);
        assertThat(anomaly.kind().unbalancesLedger()).isFalse();
        assertThat(history.generations()).hasSize(2);
        assertThat(history.generations())
                .extracting(BufferGeneration::generation)
                .containsExactly(1, 2);
    }

    @Test
    void aPartOfABufferIsOne() {
        assertThat(only(submeshTakes(0x10ff, 0x100)).generation().orElseThrow().address())
                .isEqualTo(0x1000);
        assertThat(only(submeshTakes(0xf01, 0x100)).generation().orElseThrow().address())
                .isEqualTo(0x1000);
        assertThat(only(submeshTakes(0x1010, 0x10)).address()).isEqualTo(0x1010);
        assertThat(only(submeshTakes(0x0, 0x10000)).address()).isEqualTo(0x0);
    }

    @Test
    void isReportedOfEachBufferBelowANewOne() {
        var history = parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), 0x1100, 0x100)
                .onMesh(0)
                .allocate(DRAM, device(0), 0x1000, 0x200)
                .onMesh(1)
                .recorded();

        assertThat(history.anomalies()).extracting(Anomaly::kind).containsOnly(HELD_BY_TWO_ALLOCATORS);
        assertThat(history.anomalies())
                .extracting(anomaly -> anomaly.generation().orElseThrow().address())
                .containsExactly(0x1000L, 0x1100L);
    }

    @Stories("""
            neighbours are none
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1100 on 0, size 0x100, mesh 1
                = no anomalies
            neighbours are none (2)
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0xf00 on 0, size 0x100, mesh 1
                = no anomalies
            reports a view into the memory of its own mesh once
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1000 on 0, size 0x100, owning, mesh 1;
                allocate DRAM 0x1010 on 0, size 0x10, view, mesh 1
                = anomalies HELD_BY_TWO_ALLOCATORS
            a buffer that the other mesh freed is none
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                free DRAM 0x1000 on 0, mesh 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 1
                = no anomalies
            another device or memory is none
                mesh 0 over 0..1; mesh 1 in 0 over 1; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1000 on 1, size 0x100, mesh 1; allocate L1 0x1000 on 1, size 0x100, mesh 0
                = no anomalies
            another type of the same memory is one
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate TRACE 0x1000 on 0, size 0x100, mesh 1; allocate L1 0x1000 on 0, size 0x100, mesh 1;
                allocate L1_SMALL 0x1080 on 0, size 0x100, mesh 0
                = anomalies HELD_BY_TWO_ALLOCATORS HELD_BY_TWO_ALLOCATORS
            what meets both its own mesh and another is both
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1100 on 0, size 0x100, mesh 1; allocate DRAM 0x1080 on 0, size 0x100, mesh 1
                = anomalies OVERLAP HELD_BY_TWO_ALLOCATORS
            where only the circular buffer is left nothing is taken
                mesh 0 over 0; mesh 1 in 0 over 0; allocate L1 0x1000 on 0, size 0x100, mesh 0;
                allocate L1 0x1000 on 0, size 0x100, circular buffer of program 1; free L1 0x1000 on 0, mesh 0;
                allocate L1 0x1000 on 0, size 0x100, mesh 1
                = no anomalies
            an allocation by a closed mesh is noted though the device is open
                mesh 0 over 0; mesh 1 in 0 over 0; close 1; allocate DRAM 0x1000 on 0, size 0x100, mesh 1
                = anomalies ALLOCATION_AFTER_CLOSE
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void aViewOfOneMeshIntoTheMemoryOfAnotherIsOne() {
        only(parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), 0x1010, 0x10)
                .nonOwning()
                .onMesh(1)
                .recorded());
    }

    @Test
    void aBufferOfAClosedMeshIsNoOverlap() {
        var history = historyOf("""
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 1; close 1;
                allocate DRAM 0x1000 on 0, size 0x100, mesh 0
                """);

        assertThat(history.anomalies()).isEmpty();
        assertThat(history.live()).hasSize(2);
    }

    @Test
    void aBufferOfAnEarlierOpenPeriodOfTheDeviceIsNoneThoughNobodyOpenedItsMesh() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int mesh = 0; mesh < 2; mesh++) {
            tracker.deviceOpened(0);
            on(tracker).allocate(DRAM, device(0), 0x1000, 0x100).onMesh(mesh).recorded();
            tracker.deviceClosed(0);
        }

        assertThat(tracker.history().live()).hasSize(2);
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    @Test
    void aBufferOfAMeshThatNobodyOpenedIsOne() {
        only(historyOf("""
                allocate DRAM 0x1000 on 0, size 0x100, mesh 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 1
                """));
    }

    @Test
    void reportsEachMeshThatHoldsTheMemory() {
        var history = historyOf("""
                mesh 0 over 0; mesh 1 in 0 over 0; mesh 2 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1100 on 0, size 0x100, mesh 1; allocate DRAM 0x1080 on 0, size 0x100, mesh 2
                """);

        assertThat(history.anomalies())
                .extracting(anomaly -> anomaly.generation().orElseThrow().mesh().orElseThrow())
                .containsExactly(0, 1);
        assertThat(history.anomalies()).extracting(Anomaly::kind).containsOnly(HELD_BY_TWO_ALLOCATORS);
    }

    @Test
    void anotherSizeIsASizeChangeOnlyWithinOneMesh() {
        var history = parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), 0x1000, 0x80)
                .onMesh(1)
                .allocate(DRAM, device(0), 0x1000, 0x40)
                .onMesh(1)
                .recorded();

        assertThat(history.anomalies()).extracting(Anomaly::kind).containsExactly(HELD_BY_TWO_ALLOCATORS, SIZE_CHANGE);
        assertThat(history.generations()).hasSize(2);
    }

    @Test
    void buffersThatNameNoMeshAreNone() {
        var history = parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), 0x1000, 0x100)
                .recorded();

        assertThat(history.anomalies()).isEmpty();
        assertThat(history.generations()).hasSize(1);
    }

    @Test
    void aBufferWhereACircularBufferLayBeforeIsSeenToo() {
        var history = historyOf("""
                mesh 0 over 0; mesh 1 in 0 over 0; allocate L1 0x1000 on 0, size 0x100, circular buffer of program 1;
                allocate L1 0x1000 on 0, mesh 0; allocate L1 0x1020 on 0, size 0x100, mesh 1
                """);

        assertThat(history.anomalies()).extracting(Anomaly::kind).contains(HELD_BY_TWO_ALLOCATORS);
    }

    @Test
    void aDeviceThatOneMoreMeshOpensKeepsWhatIsTaken() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0; mesh 1 over 0;
                allocate DRAM 0x1000 on 0, size 0x100, mesh 1
                """);

        only(history);
        assertThat(history.openPeriodAt(0, Long.MAX_VALUE)).isEqualTo(1);
    }

    @Test
    void bankedBuffersMeetByTheExtentTheySayOnly() {
        assertThat(banked(false).anomalies()).isEmpty();
        only(banked(true));
    }

    @Test
    void meshesShareADeviceOnlyIfTheyAreOpenAtATime() {
        assertThat(history().mesh(0, 0).close().mesh(1, 0).closed().meshesSharedADevice())
                .isFalse();
        assertThat(history().mesh(0, 0).mesh(1, 1).closed().meshesSharedADevice())
                .isFalse();
        assertThat(history().mesh(0, devices(0, 3)).submesh(1, 0, 3).closed().meshesSharedADevice())
                .isTrue();
    }

    private static HistoryScript parentHolds(long address, long size) {
        return history()
                .mesh(0, 0)
                .submesh(1, 0, 0)
                .allocate(DRAM, device(0), address, size)
                .onMesh(0);
    }

    private static AllocationHistory submeshTakes(long address, long size) {
        return parentHolds(0x1000, 0x100)
                .allocate(DRAM, device(0), address, size)
                .onMesh(1)
                .recorded();
    }

    private static AllocationHistory banked(boolean extents) {
        HistoryScript script = on(AllocationTracker.builder().bankedAddresses().build())
                .mesh(0, 0)
                .submesh(1, 0, 0);
        for (int mesh = 0; mesh < 2; mesh++) {
            script.allocate(DRAM, device(0), 0x1000 + 0x80L * mesh, 0x1000).onMesh(mesh);
            if (extents) {
                script.extent(0x100);
            }
        }
        return script.recorded();
    }

    private static Anomaly only(AllocationHistory history) {
        assertThat(history.anomalies()).extracting(Anomaly::kind).containsExactly(HELD_BY_TWO_ALLOCATORS);
        return history.anomalies().get(0);
    }
}
