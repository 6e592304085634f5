package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.IgnoredFreeReason.DEVICE_CLOSED;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.Ownership.OWNING;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
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

    @Test
    void namesABufferThatWasFreedAfterTheCheck() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .close()
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history)
                .hasOutcome(Outcome.FREED_LATE)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .because(
                        "freed at {freed}, after close began ({witnessed})",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    @Test
    void leavesToWhatIsLostWhatTheCollectorFreed() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .ofCollectedHandle()
                .recorded();

        judged(history)
                .hasOnly(Cause.LOST, SurvivorStatus.LEAKED)
                .because("no call freed it: its handle was collected at {freed}, when it should have been"
                        + " freed already");
    }

    @Test
    void leavesAloneWhatWasFreedBefore() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .checkedOn("2026-11-20")
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }

    @Test
    void countsWhatWasKnownAtTheCheck() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(0), 0x2000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        LeakVerdict verdict = judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .inconclusiveReasons()
                .verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(1, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void isMisreportedWhereTheWitnessSawItFreeInTime() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED);
    }

    @Test
    void doesNotConfuseALaterGenerationOfTheAddressWithIt() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x2000, 64)
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void judgesByTheLastOfSeveralChecks() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .checkedOn("2026-11-20")
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE);
    }

    @Test
    void namesABufferThatOneRequestReportedTwiceAndFreedOnce() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .recorded();

        judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .because("freed at {freed}, after the check ({checked})");
    }

    @Test
    void namesTheLastOfSeveralLateFrees() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .recorded();

        judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .because("freed at {last freed}, after the check ({checked})");
    }

    @Test
    void isNotSaidWhereTwoRequestsHoldTheAddressAndOneWentLate() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void isNotReportedWhereRequestsCannotBeDistinguishedAndOneWasFreedLate() {
        var history = historyWithoutOrigins()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED);
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
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .checkedOn("2026-11-20")
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        judged(history)
                .hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE)
                .becauseOf("its handle was released at {free ignored}, after close began ({mesh closed})");
    }

    @Test
    void namesAHandleThatWasReleasedAfterTheCloseAndBeforeTheCheck() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(5), 0x9000, 64)
                .recorded();

        judged(history).hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE);
    }

    @Test
    void namesTheBufferThatTheSnapshotListsWhereAHandleOfItsAddressWasReleasedAfterTheClose() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        judged(history).hasCauses(Cause.FREE_UNREPORTED, Cause.LATE);
    }

    @Test
    void isUndecidedWhereTheSnapshotListsABufferWhoseAddressWasReservedAgainAndFreed() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .fromAllocator(AllocatorId.MESH)
                .extent(64)
                .allocate(DRAM, device(0), 0x1000, 32)
                .fromAllocator(AllocatorId.MESH)
                .extent(32)
                .free(DRAM, device(0), 0x1000)
                .fromAllocator(AllocatorId.MESH)
                .extent(32)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .close()
                .free(DRAM, device(0), 0x1000)
                .fromAllocator(AllocatorId.MESH)
                .extent(64)
                .recorded();

        judged(history).hasOnly(Cause.LATE, SurvivorStatus.UNDECIDED);
    }

    @Test
    void namesABufferThatWentWithItsSiblingsAfterTheCheck() {
        var history = history()
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .nonOwning()
                .checkedOn("2026-11-20")
                .free(DRAM, devices(0, 2), 0x1000)
                .nonOwning()
                .recorded();

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
    void doesNotApplyToABufferWhoseSiblingsWereFreedBeforeTheCheck() {
        var history = history()
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .nonOwning()
                .free(DRAM, devices(0, 2), 0x1000)
                .nonOwning()
                .checkedOn("2026-11-20")
                .allocate(DRAM, device(5), 0x9000, 64)
                .recorded();

        judged(history).hasOnly(Cause.FREED_ON_OTHER_DEVICES, SurvivorStatus.MISREPORTED);
    }

    @Test
    void doesNotTakeALaterReadingForAFree() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .checkedOn("2026-11-20")
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .recorded();

        assertThat(judged(history).verdict().survivors())
                .extracting(Survivor::cause)
                .doesNotContain(Cause.LATE);
    }

    @Test
    void takesTheLateFreeOfOneForNoFreeOfMost() {
        var history = history()
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .nonOwning()
                .checkedOn("2026-11-20")
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .recorded();

        judged(history).hasCauses(Cause.LATE, Cause.UNEXPLAINED, Cause.UNEXPLAINED, Cause.UNEXPLAINED);
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

    @Test
    void takesAFreeOfItsSiblingsForNoFreeOfWhatAnotherRequestLeftThere() {
        var history = history()
                .allocate(DRAM, devices(0, 3), 0x1000, 64)
                .nonOwning()
                .allocate(DRAM, device(3), 0x1000, 128)
                .owning()
                .free(DRAM, device(3), 0x1000)
                .nonOwning()
                .checkedOn("2026-11-20")
                .free(DRAM, devices(0, 2), 0x1000)
                .nonOwning()
                .recorded();

        judged(history).hasCauses(Cause.LATE, Cause.LATE, Cause.LATE, Cause.UNEXPLAINED);
    }
}
