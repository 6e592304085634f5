package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.Ownership.OWNING;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

/** A free after the close of its allocator began, or after the check, is late. */
class LateTests {

    @Stories("""
            names a buffer that was freed after the check
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close; checked;
                free DRAM 0x1000 on 0
                = FREED_LATE, LATE FREED_LATE
                because freed at {freed}, after close began ({witnessed})
                because the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})
            leaves to what is lost what the collector freed
                allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0, collected
                = LOST LEAKED
                because no call freed it: its handle was collected at {freed}, when it should have been freed already
            leaves alone what was freed before
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; checked
                = LEAK_FREE
            is misreported where the witness saw it free in time
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; checked;
                free DRAM 0x1000 on 0
                = FREE_UNREPORTED MISREPORTED
            does not confuse a later generation of the address with it
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0; checked;
                allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0
                = UNEXPLAINED LEAKED
            judges by the last of several checks
                allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0; checked
                = LEAK_FREE
            names a buffer that one request reported twice and freed once
                allocate DRAM 0x1000 on 0, view, again NON_OWNING; checked; free DRAM 0x1000 on 0, view
                = LATE FREED_LATE
                because freed at {freed}, after the check ({checked})
            names the last of several late frees
                allocate DRAM 0x1000 on 0, owning, again NON_OWNING; checked; free DRAM 0x1000 on 0, owning;
                free DRAM 0x1000 on 0, view
                = LATE FREED_LATE
                because freed at {last freed}, after the check ({checked})
            is not said where two requests hold the address and one went late
                allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0
                = UNEXPLAINED LEAKED
            is not reported where requests cannot be distinguished and one was freed late
                without origins; allocate DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0; checked; free DRAM 0x1000 on 0
                = UNEXPLAINED UNDECIDED
            names a handle that was released after the close and before the check
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; ignore DRAM 0x1000 on 0, DEVICE_CLOSED; checked;
                allocate DRAM 0x9000 on 5
                = LATE FREED_LATE
            names the buffer that the snapshot lists where a handle of its address was released after the close
                mesh 0 over 0; allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0; close; mesh 0 over 0;
                allocate DRAM 0x1000 on 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                = causes FREE_UNREPORTED LATE
            is undecided where the snapshot lists a buffer whose address was reserved again and freed
                mesh 0 over 0; allocate DRAM 0x1000 on 0, allocator MESH, extent 64;
                allocate DRAM 0x1000 on 0, size 32, allocator MESH, extent 32;
                free DRAM 0x1000 on 0, allocator MESH, extent 32; witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                free DRAM 0x1000 on 0, allocator MESH, extent 64
                = LATE UNDECIDED
            does not apply to a buffer whose siblings were freed before the check
                allocate DRAM 0x1000 on 0..3, view; free DRAM 0x1000 on 0..2, view; checked; allocate DRAM 0x9000 on 5
                = FREED_ON_OTHER_DEVICES MISREPORTED
            takes the late free of one for no free of most
                allocate DRAM 0x1000 on 0..3, view; checked; free DRAM 0x1000 on 0, view
                = causes LATE UNEXPLAINED UNEXPLAINED UNEXPLAINED
            takes a free of its siblings for no free of what another request left there
                allocate DRAM 0x1000 on 0..3, view; allocate DRAM 0x1000 on 3, size 128, owning;
                free DRAM 0x1000 on 3, view; checked; free DRAM 0x1000 on 0..2, view
                = causes LATE LATE LATE UNEXPLAINED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void countsWhatWasKnownAtTheCheck() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0; checked; allocate DRAM 0x2000 on 0; free DRAM 0x1000 on 0
                """);

        LeakVerdict verdict = judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .inconclusiveReasons()
                .verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void saysWhichLineFreedIt() {
        AllocationTracker tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
                .build();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.checked(LocalDate.parse("2026-11-20"));
        tracker.freed(0, DRAM, 0x1000);
        AllocationHistory history = tracker.history();

        String line = history.events(HistoryEvent.Freed.class).stream()
                .flatMap(free -> free.request().origin().stream())
                .map(Object::toString)
                .findFirst()
                .orElseThrow();
        assertThat(line).contains("LateTests.saysWhichLineFreedIt");
        judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .because("freed at {freed}, after the check ({checked}), at " + line);
    }

    @Test
    void namesABufferWhoseHandleWasReleasedWhenDeviceAndCheckWerePast() {
        var history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0; close; checked; ignore DRAM 0x1000 on 0, DEVICE_CLOSED
                """);

        judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .becauseOf("its handle was released at {free ignored}, after close began ({mesh closed})");
    }

    @Test
    void namesABufferThatWentWithItsSiblingsAfterTheCheck() {
        var history = historyOf("""
                allocate DRAM 0x1000 on 0..3, view; checked; free DRAM 0x1000 on 0..2, view
                """);

        LeakVerdict verdict =
                judged(history).hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE).verdict();

        assertThat(verdict.survivors().get(3).diagnosis().evidence())
                .extracting(Evidence::text)
                .containsExactly(
                        expected(
                                history,
                                "what one allocator frees together with it was freed at {last freed}, after the check ({checked})"));
    }

    @Test
    void doesNotTakeALaterReadingForAFree() {
        var history = historyOf("allocate DRAM 0x1000 on 0, view; checked; witness CLOSE_BEGUN DRAM on 0");

        assertThat(judged(history).verdict().survivors())
                .extracting(Survivor::cause)
                .doesNotContain(Cause.LATE);
    }

    @Test
    void takesTheFreeOfACircularBufferForNoOtherOne() {
        AllocationTracker tracker = AllocationTracker.create();
        MemoryRequest request = tracker.request(AllocationDetails.circularBuffer(Owner.program("7")));
        tracker.allocated(request, 0, DRAM, 0x1000, 64, OWNING);
        tracker.allocated(request, 1, DRAM, 0x1000, 64, NON_OWNING);
        tracker.checked(LocalDate.parse("2026-11-20"));
        tracker.freed(tracker.release(AllocationDetails.circularBuffer(Owner.program("7"))), 0, DRAM, 0x1000, OWNING);

        judged(tracker.history()).hasCauses(Cause.LATE, Cause.UNEXPLAINED);
    }
}
