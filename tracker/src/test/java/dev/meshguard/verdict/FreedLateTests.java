package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.IgnoredFreeReason.DEVICE_CLOSED;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A free after the close of the allocator began is late. */
class FreedLateTests {

    private static HistoryScript oneBuffer() {
        return history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64);
    }

    @Test
    void isAFreeThatIsReportedAfterTheClose() {
        var history =
                oneBuffer().closing().close().free(DRAM, device(0), 0x1000).recorded();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.FREED_LATE)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .because("freed at {freed}, after close began ({mesh closing})")
                .verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 1, 0, 0, 0, 0));
        assertThat(verdict.isLeakFree()).isFalse();
        assertThat(verdict.hasBalancedReports()).isTrue();
    }

    @Stories("""
            is of the last request if the allocator reserved the address twice
                mesh 0 over 0; allocate DRAM 0x1000 on 0, allocator MESH; allocate DRAM 0x1000 on 0, allocator MESH;
                close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = causes FREE_UNREPORTED LATE
            is a free between the beginning of the close and its end
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; free DRAM 0x1000 on 0; close
                = LATE FREED_LATE
            is no free before the close
                mesh 0 over 0; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; closing; close
                = LEAK_FREE
            is no report that comes late of a free that did not
                mesh 0 over 0; allocate DRAM 0x1000 on 0; closing; witness CLOSE_BEGUN DRAM on 0; close;
                free DRAM 0x1000 on 0
                = LEAK_FREE
            is no second report of what was freed before
                mesh 0 over 0; allocate DRAM 0x1000 on 0, again NON_OWNING; free DRAM 0x1000 on 0; closing; close;
                free DRAM 0x1000 on 0
                = LEAK_FREE
            is not named for a persistent buffer freed after the check
                mesh 0 over 0; allocate DRAM 0x1000 on 0, lifetime PERSISTENT; closing; close; checked;
                free DRAM 0x1000 on 0, lifetime PERSISTENT
                = EXPECTED_ONLY
            is no circular buffer whose program ends after the close
                mesh 0 over 0; allocate L1 0x1000 on 0, circular buffer of program 7; closing; close;
                free L1 0x1000 on 0, circular buffer of program 7
                = LEAK_FREE
            is no binary of a program that goes with the cache of the mesh
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; cached program 7; closing; close; end program 7;
                free DRAM 0x1000 on 0, of program 7
                = LEAK_FREE
            is the binary of a program that the code under test ends too late
                mesh 0 over 0; allocate DRAM 0x1000 on 0, of program 7; closing; close; end program 7;
                free DRAM 0x1000 on 0, of program 7
                = LATE FREED_LATE
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void isAFreeThatTheClosedDeviceIgnored() {
        var history = oneBuffer()
                .report("closing; close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED")
                .recorded();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.FREED_LATE)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .becauseOf("its handle was released at {free ignored}, after close began ({mesh closing})")
                .verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 1, 0, 0, 0, 0));
        assertThat(verdict.hasBalancedReports()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"SYSTEM", "PERSISTENT"})
    void isNotWhatTheRuntimeFreesAtTheCloseOrLater(BufferLifetime lifetime) {
        var history = oneBuffer()
                .lifetime(lifetime)
                .closing()
                .close()
                .free(DRAM, device(0), 0x1000)
                .lifetime(lifetime)
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }

    @Test
    void isNotWhatTheCollectorFreed() {
        var reported = oneBuffer()
                .report("closing; close; free DRAM 0x1000 on 0, collected")
                .recorded();
        var ignored = oneBuffer()
                .closing()
                .close()
                .freeIgnored(AllocationDetails.user().ofCollectedHandle(), DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        LeakVerdict verdict = judged(reported)
                .hasOutcome(Outcome.LEAKED)
                .hasOnly(Cause.LOST, SurvivorStatus.LEAKED)
                .because("no call freed it: its handle was collected at {freed}, after close began ({mesh closing})")
                .verdict();
        judged(ignored).hasOutcome(Outcome.LEAKED).hasOnly(Cause.LOST, SurvivorStatus.LEAKED);

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 0, 1, 0, 0, 0));
    }

    @Test
    void ranksBelowALeakAndAboveMisreported() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0; closing; close;
                free DRAM 0x1000 on 0
                """);

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasCauses(Cause.LATE, Cause.UNEXPLAINED)
                .hasStandings(SurvivorStatus.FREED_LATE, SurvivorStatus.LEAKED);
        assertThat(Outcome.values())
                .containsExactly(
                        Outcome.LEAK_FREE,
                        Outcome.EXPECTED_ONLY,
                        Outcome.STALE_EXPECTATION,
                        Outcome.OVERWRITTEN,
                        Outcome.MISREPORTED,
                        Outcome.FREED_LATE,
                        Outcome.INCONCLUSIVE,
                        Outcome.LEAKED);
    }

    @Test
    void mayBeExpectedLikeWhatStays() {
        var history =
                oneBuffer().closing().close().free(DRAM, device(0), 0x1000).recorded();

        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(
                        Expectation.because("its owner outlives the mesh").exactly(1)))
                .examine(history);

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 0, 0, 0, 1, 0));
    }

    @Test
    void isOneGroupOnAllDevices() {
        var history = historyOf("""
                mesh 0 over 0..3; allocate DRAM 0x1000 on 0..3; closing; close; free DRAM 0x1000 on 0..3
                """);

        assertThat(judged(history).verdict().groups(SurvivorStatus.FREED_LATE))
                .singleElement()
                .satisfies(group -> assertThat(group.devices()).containsExactly(0, 1, 2, 3));
    }

    /** The allocator that holds a buffer decides whose close counts. */
    @Nested
    class WhoseClose {

        private HistoryScript meshWithASubmesh() {
            return history().mesh(0, 0, 1, 2, 3).submesh(1, 0, 0, 1);
        }

        @Test
        void isThatOfTheMeshThatAllocatedIt() {
            var history = meshWithASubmesh()
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .onMesh(1)
                    .closeMesh(1)
                    .free(DRAM, devices(0, 1), 0x1000)
                    .onMesh(1)
                    .closeMesh(0)
                    .recorded();

            judged(history)
                    .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                    .because("freed at {freed 1}, after the close of mesh 1 began ({mesh closing 1})");
        }

        @Test
        void isNotThatOfASubmeshWhereTheParentAllocatedIt() {
            var history = meshWithASubmesh()
                    .allocate(DRAM, devices(0, 3), 0x1000, 64)
                    .onMesh(0)
                    .closeMesh(1)
                    .free(DRAM, devices(0, 3), 0x1000)
                    .onMesh(0)
                    .closeMesh(0)
                    .recorded();

            judged(history).hasOutcome(Outcome.LEAK_FREE);
        }

        @Test
        void isThatOfTheLastMeshOverTheDeviceWhereTheDeviceAllocatedIt() {
            HistoryScript inTime = meshWithASubmesh()
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .fromAllocator(AllocatorId.DEVICE)
                    .closeMesh(1)
                    .free(DRAM, device(0), 0x1000)
                    .fromAllocator(AllocatorId.DEVICE)
                    .closeMesh(0);
            HistoryScript late = meshWithASubmesh()
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .fromAllocator(AllocatorId.DEVICE)
                    .closeMesh(1)
                    .closeMesh(0)
                    .free(DRAM, device(0), 0x1000)
                    .fromAllocator(AllocatorId.DEVICE);

            judged(inTime.recorded()).hasOutcome(Outcome.LEAK_FREE);
            judged(late.recorded()).hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE);
        }

        @Test
        void isThatOfItsMeshWhileASubmeshKeepsTheDeviceOpen() {
            var history = meshWithASubmesh()
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .onMesh(0)
                    .closeMesh(0)
                    .free(DRAM, device(0), 0x1000)
                    .onMesh(0)
                    .closeMesh(1)
                    .recorded();

            judged(history).hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE);
        }

        @Test
        void isThatOfTheLastMeshOverTheDeviceWhereTheMeshIsUnknown() {
            var history = meshWithASubmesh()
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .closeMesh(1)
                    .free(DRAM, devices(0, 1), 0x1000)
                    .closeMesh(0)
                    .recorded();

            judged(history).hasOutcome(Outcome.LEAK_FREE);
        }

        @Stories("""
                is that of the open period in which it was allocated
                    mesh 0 over 0; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; close; mesh 1 over 0;
                    allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; close
                    = LEAK_FREE
                is not that of a free on a later mesh with the same number
                    mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; close; mesh 0 over 0;
                    free DRAM 0x1000 on 0, mesh 0; close
                    = UNEXPLAINED LEAKED
                """)
        void isJudgedBy(Story story) {
            story.holds();
        }
    }
}
