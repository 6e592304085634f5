package dev.meshguard.history;

import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.on;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Stories;
import dev.meshguard.verdict.Story;
import org.junit.jupiter.api.Test;

/** Memory that two meshes hold at one time, and cases that only look like it. */
class MeshOverlapTests {

    @Stories("""
            neighbours are none
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM [0x1100 | 0xf00] on 0, size 0x100, mesh 1
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
            an address allocated by two meshes is one overlap with both sides
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1000 on 0, size 0x80, mesh 1; close
                = generations 2, live of meshes 0 1, balanced
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1000 (4096) on device 0, generation 1
            a part of a buffer is one
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM [0x10ff | 0xf01 | 0x1010 | 0x0] on 0, size [0x100 | 0x100 | 0x10 | 0x10000], mesh 1
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1000 (4096) on device 0, generation 1
            is reported of each buffer below a new one
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1100 on 0, size 0x100, mesh 0; allocate DRAM 0x1000 on 0, size 0x200, mesh 1
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1000 (4096) on device 0, generation 1
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1100 (4352) on device 0, generation 1
            a view of one mesh into the memory of another is one
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1010 on 0, size 0x10, view, mesh 1
                = anomalies HELD_BY_TWO_ALLOCATORS
            a buffer of a closed mesh is no overlap
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 1; close 1;
                allocate DRAM 0x1000 on 0, size 0x100, mesh 0
                = no anomalies, live of meshes 1 0
            a device [of meshes that nobody opened | that one more mesh opens] keeps what is taken
                [ | mesh 0 over 0;] allocate DRAM 0x1000 on 0, size 0x100, mesh 0; [ | mesh 1 over 0;]
                allocate DRAM 0x1000 on 0, size 0x100, mesh 1
                = anomalies HELD_BY_TWO_ALLOCATORS
            reports each mesh that holds the memory
                mesh 0 over 0; mesh 1 in 0 over 0; mesh 2 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1100 on 0, size 0x100, mesh 1; allocate DRAM 0x1080 on 0, size 0x100, mesh 2
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1000 (4096) on device 0, generation 1
                anomaly HELD_BY_TWO_ALLOCATORS of DRAM 0x1100 (4352) on device 0, generation 1
            another size is a size change only within one mesh
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1000 on 0, size 0x80, mesh 1; allocate DRAM 0x1000 on 0, size 0x40, mesh 1
                = anomalies HELD_BY_TWO_ALLOCATORS SIZE_CHANGE, generations 2
            buffers that name no mesh are none
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, size 0x100, mesh 0;
                allocate DRAM 0x1000 on 0, size 0x100
                = no anomalies, generations 1
            a buffer where a circular buffer lay before is seen too
                mesh 0 over 0; mesh 1 in 0 over 0; allocate L1 0x1000 on 0, size 0x100, circular buffer of program 1;
                allocate L1 0x1000 on 0, mesh 0; allocate L1 0x1020 on 0, size 0x100, mesh 1
                = anomalies HELD_BY_TWO_ALLOCATORS
            banked buffers meet by the extent they say only
                banked addresses; mesh 0 over 0; mesh 1 in 0 over 0;
                allocate DRAM 0x1000 on 0, size 0x1000, mesh 0[ | , extent 0x100];
                allocate DRAM 0x1080 on 0, size 0x1000, mesh 1[ | , extent 0x100]
                = [no anomalies | anomalies HELD_BY_TWO_ALLOCATORS]
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void aBufferOfAnEarlierOpenPeriodOfTheDeviceIsNoneThoughNobodyOpenedItsMesh() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int mesh = 0; mesh < 2; mesh++) {
            tracker.deviceOpened(0);
            on(tracker).report("allocate DRAM 0x1000 on 0, size 0x100, mesh " + mesh);
            tracker.deviceClosed(0);
        }

        assertThat(tracker.history().live())
                .hasSize(2)
                .allMatch(buffer -> tracker.history().closeOf(buffer).isPresent());
        assertThat(tracker.history().anomalies()).isEmpty();
    }

    @Test
    void aDeviceThatOneMoreMeshOpensIsInTheSameOpenPeriod() {
        var history = historyOf("mesh 0 over 0; mesh 1 over 0");

        assertThat(history.openPeriodAt(0, Long.MAX_VALUE)).isEqualTo(1);
    }

    @Test
    void meshesShareADeviceOnlyIfTheyAreOpenAtATime() {
        assertThat(historyOf("mesh 0 over 0; close; mesh 1 over 0; close").meshesSharedADevice())
                .isFalse();
        assertThat(historyOf("mesh 0 over 0; mesh 1 over 1; close").meshesSharedADevice())
                .isFalse();
        assertThat(historyOf("mesh 0 over 0..3; mesh 1 in 0 over 3; close").meshesSharedADevice())
                .isTrue();
    }
}
