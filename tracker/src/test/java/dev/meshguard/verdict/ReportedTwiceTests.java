package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.Ownership.NON_OWNING;
import static dev.meshguard.event.Ownership.OWNING;
import static dev.meshguard.event.WitnessSnapshot.Moment.AFTER_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyWithoutOrigins;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.REPORTED_TWICE;
import static dev.meshguard.verdict.Cause.SYSTEM;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two proofs: the reports are of one allocation, and its memory is gone. */
class ReportedTwiceTests {

    @Test
    void isNamedWhenTheOwnerIsGoneAndTheBufferOfTheSameRequestIsNot() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history)
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        "reported 2 times at one live address ({allocated 1, 2}), freed once",
                        "the view of {last allocated} was destroyed without a report; the buffer that it looked at was freed at {freed}");
    }

    @Test
    void isNotNamedForWhatWasReportedBeforeItsOwner() {
        var history = viewBeforeOwner().witness(CLOSE_BEGUN, DRAM, device(0)).closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    /** A mesh's buffer owns nothing on a device either, and the device allocates the same address again. */
    @Test
    void isNotNamedOnTheWordOfAnOwnerThatCameAfterWhatIsLeft() {
        judged(viewBeforeOwner().closed()).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedOnTheWordOfAnOwnerThatIsSmallerThanWhatIsLeft() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 128)
                .nonOwning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    private static HistoryScript viewBeforeOwner() {
        return history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .owning();
    }

    @Test
    void isNamedWhenTheWitnessSaysThatTheMemoryIsGone() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        "reported 2 times at one live address ({allocated 1, 2}), freed once",
                        "the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            5 | reported 6 times at one live address ({allocated 1, 2, 3, 4, 5, 6}), freed once
            7 | reported 8 times at one live address ({allocated 1, 2, 3, 4, 5, 6} and 2 more), freed once
            """)
    void namesNoMoreThanSixEvents(int views, String reported) {
        var script = history().allocate(DRAM, device(0), 0x1000, 64).owning();
        for (int view = 0; view < views; view++) {
            script.andOnceMore(NON_OWNING);
        }
        var history = script.free(DRAM, device(0), 0x1000).owning().recorded();

        judged(history)
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        reported,
                        "the view of {allocated 2} was destroyed without a report; the buffer that it looked at was freed at {freed}");
    }

    @Test
    void isNotNamedWhileTheOwnerIsThere() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .recorded();

        judged(history)
                .hasOnly(UNEXPLAINED, LEAKED)
                .because(
                        "reported twice, freed once",
                        "what was freed at {freed} is the view of {last allocated}; the lasting buffer of {allocated 1} is still there");
    }

    @Test
    void isNotNamedWhileTheWitnessHoldsTheMemory() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOnly(UNEXPLAINED, LEAKED)
                .because(
                        "reported twice, freed once",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})");
    }

    @Test
    void isNotNamedForALostFreeAndALaterRequestAtTheSameAddress() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedWhenNothingWasFreed() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedForOneReport() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedWhereRequestsCannotBeDistinguished() {
        var history = historyWithoutOrigins()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedForAReadingAfterTheWipe() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .witness(AFTER_WIPE, DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForASnapshotOfAnEarlierOpenPeriodOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedWhenTheFreeDoesNotSayWhoseItIs() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(OWNING)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForABufferThatCameAfterTheOwnerWasGone() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForACircularBufferThatTouchedTheBuffersAddress() {
        var history = history()
                .allocate(L1, device(0), 101_152, 4_096)
                .nonOwning()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .owning()
                .free(L1, device(0), 101_152)
                .ownedBy(program(7))
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void waitsForTheRuntimeWhereTheMemoryIsItsOwn() {
        var script = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000);

        var gone = script.witness(BEFORE_WIPE, DRAM, device(0)).closed();

        judged(gone).hasOnly(REPORTED_TWICE, MISREPORTED);
    }

    @Test
    void isNotNamedForRuntimeMemoryThatIsAllocatedBeforeTheWipe() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .nonOwning()
                .andOnceMore(NON_OWNING)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .witness(BEFORE_WIPE, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(SYSTEM, LEAKED);
    }

    @Test
    void isNotNamedForACircularBufferOfTheSameProgramThatTouchedTheAddress() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 4_096)
                .ownedBy(program(7))
                .nonOwning()
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .owning()
                .free(L1, device(0), 101_152)
                .circularBufferOf(program(7))
                .owning()
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedWhereAllThatWasFreedBelongsToAnother() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNamedForALaterViewOfAnotherOwner() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .nonOwning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(REPORTED_TWICE, MISREPORTED);
    }

    @Test
    void isNotNamedForAViewOfAnotherOwnerThatWasThereBefore() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(7))
                .nonOwning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    /** Mesh 0 covers devices 1 and 2, and its own object is reported under the number of a device. */
    private static HistoryScript underTheNumberOf(int device, long address) {
        return history()
                .mesh(0, 1, 2)
                .allocate(DRAM, devices(1, 2), 0x1000, 64)
                .and(device(device), address)
                .onMesh(0)
                .ownedBy(program(7));
    }

    private static HistoryScript freedOnItsDevices(HistoryScript script) {
        return script.free(DRAM, devices(1, 2), 0x1000).onMesh(0);
    }

    @Test
    void isNamedForADeviceThatTheMeshDoesNotLieOver() {
        var history = freedOnItsDevices(underTheNumberOf(0, 0x1000)).closed();

        judged(history)
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        "mesh 0 does not lie over device 0: {allocated 1} reports what {allocated 2} reports on device 1");
    }

    @Test
    void isNamedForAnotherDeviceThoughTheProgramWasInTheCacheWhenItEnded() {
        var history = freedOnItsDevices(
                        underTheNumberOf(0, 0x1000).cached(program(7)).endOf(program(7)))
                .closed();

        judged(history).hasOnly(REPORTED_TWICE, MISREPORTED);
    }

    @Test
    void leavesAnotherDeviceToTheCacheWhereItsProgramIsStillThere() {
        var history = freedOnItsDevices(underTheNumberOf(0, 0x1000).cached(program(7)))
                .closed();

        judged(history).hasOnly(Cause.CACHED, LEAKED);
    }

    @Test
    void isNotNamedForAnotherDeviceWhereNothingElseLiesAtTheAddress() {
        var history = freedOnItsDevices(underTheNumberOf(0, 0x2000)).closed();

        judged(history).hasOnly(Cause.UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAnotherDeviceWhereNothingIsKnownOfTheMesh() {
        var history = history()
                .mesh(0, 1, 2)
                .allocate(DRAM, devices(0, 2), 0x1000, 64)
                .free(DRAM, devices(1, 2), 0x1000)
                .closed();

        judged(history).hasOnly(Cause.FREED_ON_OTHER_DEVICES, LEAKED);
    }

    @Test
    void isNotNamedForAViewOfACircularBuffer() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 32)
                .owning()
                .allocate(L1, device(0), 101_152, 64)
                .circularBufferOf(program(7))
                .owning()
                .allocate(L1, device(0), 101_152, 64)
                .nonOwning()
                .free(L1, device(0), 101_152)
                .owning()
                .free(L1, device(0), 101_152)
                .circularBufferOf(program(7))
                .owning()
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedOnTheWordOfTwoOwnersOfWhichOneIsTooSmall() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 32)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNamedInWhateverOrderOneRequestReported() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .nonOwning()
                .andOnceMore(OWNING)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(REPORTED_TWICE, MISREPORTED);
    }

    /** A request that continues to report after a free still reports one allocation. */
    @Test
    void isNamedWhereAFreeCameBetweenTheReportsOfOneRequest() {
        var tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "mesh 0", List.of(0)));
        var request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x1000, 64, NON_OWNING);
        tracker.freed(0, DRAM, 0x1000);
        tracker.allocated(request, 0, DRAM, 0x1000, 64, NON_OWNING);
        freedBuffer(tracker, 0x1000);
        witnessedFree(tracker);

        judged(tracker.history())
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        "reported 2 times at one live address ({allocated 2, 3}), freed once",
                        "the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    @Test
    void isNotNamedBecauseTheRequestFreedAnotherAddress() {
        var tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "mesh 0", List.of(0)));
        var request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x2000, 64, NON_OWNING);
        tracker.freed(0, DRAM, 0x2000);
        tracker.allocated(request, 0, DRAM, 0x1000, 64, NON_OWNING);
        freedBuffer(tracker, 0x1000);
        witnessedFree(tracker);

        judged(tracker.history()).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotInferredFromAnOwnerOfAnEarlierOpenPeriodOfTheDevice() {
        var tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "mesh 0", List.of(0)));
        tracker.deviceOpened(0);
        var request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x1000, 64, NON_OWNING);
        freedBuffer(tracker, 0x1000);
        tracker.meshClosed(0);
        tracker.deviceClosed(0);
        tracker.meshOpened(MeshDescription.of(0, "mesh 0", List.of(0)));
        tracker.deviceOpened(0);
        tracker.allocated(request, 0, DRAM, 0x1000, 64, NON_OWNING);
        freedBuffer(tracker, 0x1000);
        witnessedFree(tracker);

        judged(tracker.history()).hasCauses(UNEXPLAINED, FREE_UNREPORTED);
    }

    /** Reports a buffer of another request at an address, and its free. */
    private static void freedBuffer(AllocationTracker tracker, long address) {
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, DRAM, address, 64, OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 0, DRAM, address, OWNING);
    }

    private static void witnessedFree(AllocationTracker tracker) {
        tracker.witnessed(WitnessSnapshot.of(0, CLOSE_BEGUN).region(0, DRAM).build());
        tracker.meshClosed(0);
    }

    @Test
    void isNotNamedForABufferThatItsAllocatorReservedInsideAnotherWhoseFreeIsMissing() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 8_192)
                .extent(8_192)
                .fromAllocator(AllocatorId.MESH)
                .allocate(DRAM, device(0), 0x1800, 64)
                .extent(64)
                .fromAllocator(AllocatorId.MESH)
                .nonOwning()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    /** A request that reported on two devices is no view of a buffer on one of them. */
    @Test
    void isNotNamedForAViewThatLiesOnMoreDevicesThanTheOwner() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .nonOwning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAViewThatLiesOnAnotherDeviceThanTheOwnersRest() {
        var history = history()
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .owning()
                .allocate(DRAM, new int[] {0, 2}, 0x1000, 64)
                .nonOwning()
                .free(DRAM, devices(0, 1), 0x1000)
                .owning()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNamedWhereAFreeCameBetweenTheTwoReportsOfOneRequest() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.deviceOpened(0);
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x1000, 64, OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 0, DRAM, 0x1000, OWNING);
        tracker.allocated(request, 0, DRAM, 0x1000, 64, OWNING);
        tracker.witnessed(WitnessSnapshot.of(0, CLOSE_BEGUN).region(0, DRAM).build());

        judged(tracker.history())
                .hasOnly(REPORTED_TWICE, MISREPORTED)
                .because(
                        "reported 2 times at one live address ({allocated 1, 2}), freed once",
                        "the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    @Test
    void isNotNamedWhereAFreeCameBetweenTheReportsOfTwoRequests() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.deviceOpened(0);
        for (int request = 0; request < 2; request++) {
            tracker.allocated(tracker.request(AllocationDetails.user()), 0, DRAM, 0x1000, 64, OWNING);
            if (request == 0) {
                tracker.freed(tracker.release(AllocationDetails.user()), 0, DRAM, 0x1000, OWNING);
            }
        }
        tracker.witnessed(WitnessSnapshot.of(0, CLOSE_BEGUN).region(0, DRAM).build());

        judged(tracker.history()).hasOnly(Cause.FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void leavesWhatOnlyAnotherDeviceReportsToTheAllocatorOfItsMesh() {
        var history = history()
                .mesh(0, 1, 2)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .witness(CLOSE_BEGUN, DRAM, devices(1, 2))
                .closed();

        judged(history)
                .hasOnly(Cause.FREE_UNREPORTED, MISREPORTED)
                .because("the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    @Test
    void isNotNamedForAnotherDeviceWhileADeviceOfTheMeshHoldsTheMemory() {
        var history = history()
                .mesh(0, 1, 2)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .witness(CLOSE_BEGUN, DRAM, device(1), 0x1000)
                .closed();

        assertThat(judged(history).verdict().survivors().get(0).toString())
                .isEqualTo("UNEXPLAINED (leaked): DRAM 0x1000 (4096) on device 0, generation 1");
    }

    /** Of two meshes over the same devices, before and after the buffer, only its own mesh's last snapshots count. */
    @Test
    void leavesWhatOnlyAnotherDeviceReportsToTheReadingOfItsOwnMeshWhenItCloses() {
        var history = history()
                .mesh(0, 1, 2)
                .mesh(7, 3, 4)
                .witness(CLOSE_BEGUN, DRAM, devices(1, 2), 0x1000)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .witnessOf(7, CLOSE_BEGUN, DRAM, devices(1, 2), 0x1000)
                .witness(AFTER_WIPE, DRAM, devices(1, 2), 0x1000)
                .witness(CLOSE_BEGUN, DRAM, devices(1, 2))
                .closeMesh(7)
                .closed();

        assertThat(judged(history).verdict().survivors())
                .extracting(Survivor::toString)
                .containsExactly("FREE_UNREPORTED (misreported): DRAM 0x1000 (4096) on device 0, generation 1");
    }

    /** The second buffer is larger, so it is no view of the first; the frees fit either. */
    @Test
    void isNotNamedWhereAnotherMeshReportedABufferAtTheAddressMeanwhile() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 128)
                .nonOwning()
                .andOnceMore(OWNING)
                .allocate(DRAM, device(0), 0x1000, 192)
                .nonOwning()
                .witnessOf(1, CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closeMesh(1)
                .free(DRAM, device(0), 0x1000)
                .nonOwning()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNamedForAViewOnADeviceWhereTheBufferWasNotReported() {
        var history = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .nonOwning()
                .asView()
                .free(DRAM, device(0), 0x1000)
                .owning()
                .closed();

        LeakVerdict verdict = judged(history).verdict();

        assertThat(verdict.survivors(survivor -> survivor.buffer().device() == 0))
                .singleElement()
                .hasToString("REPORTED_TWICE (misreported): DRAM 0x1000 (4096) on device 0, generation 1");
    }

    @ParameterizedTest
    @CsvSource({"true, MISREPORTED", "false, LEAKED"})
    void isNamedForAViewOfAPartOfABuffer(boolean isBufferFreed, Outcome outcome) {
        var script = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 0x800)
                .owning()
                .onMesh(0)
                .allocate(DRAM, device(0), 0x1200, 0x100)
                .nonOwning()
                .asView()
                .onMesh(0);
        var history =
                (isBufferFreed ? script.free(DRAM, device(0), 0x1000).owning().onMesh(0) : script).closed();

        LeakVerdict verdict = judged(history).hasOutcome(outcome).verdict();

        assertThat(verdict.survivors(survivor -> survivor.buffer().address() == 0x1200))
                .singleElement()
                .hasToString("REPORTED_TWICE (misreported): DRAM 0x1200 (4608) on device 0, generation 1");
    }
}
