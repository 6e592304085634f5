package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.AFTER_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.Anomaly;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An inconclusive verdict lists what is missing. */
class InconclusiveTests {

    @Test
    void waitsForAMeshThatIsStillOpen() {
        var history = history().mesh(0, 0).allocate(DRAM, device(0), 0x1000, 64).recorded();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because("mesh 0 is still open, so it may still be freed")
                .inconclusiveReasons(
                        "Mesh 0 (mesh 0) is still open, so its buffers may still be freed. Close it before the check.");
    }

    @Test
    void waitsForAnOpenMeshWithoutBuffersToo() {
        judged(history().mesh(4, 0).recorded())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "Mesh 4 (mesh 4) is still open, so its buffers may still be freed. Close it before the check.");
    }

    @Test
    void doesNotWaitForTheBuffersOfOtherDevices() {
        var history =
                history().mesh(0, 0).allocate(DRAM, devices(0, 1), 0x1000, 64).recorded();

        judged(history).hasOutcome(Outcome.LEAKED).hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.LEAKED);
    }

    @Test
    void doesNotWaitForWhatAnEarlierLifeOfTheDeviceLeft() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .mesh(1, 0)
                .recorded();

        judged(history).hasOutcome(Outcome.LEAKED).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void isInconclusiveAboutABufferReportedWhenTheMeshIsClosed() {
        var history = history()
                .mesh(0, 0)
                .free(DRAM, device(0), 0x1000)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .allocate(DRAM, device(0), 0x1000, 64)
                .recorded();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because(
                        "it was reported after the last mesh over the device began to close ({mesh closed}), so the report is late")
                .inconclusiveReasons(
                        "1 buffer was reported too late to be true, the first (DRAM 0x1000 (4096) on device 0, {allocated}) after"
                                + " the last mesh over the device began to close, so what became of the memory is not known.")
                .verdict();

        assertThat(verdict.isLeakFree()).isFalse();
    }

    @Test
    void isInconclusiveWhereACircularBufferIsReportedAfterItsProgramEnded() {
        var history = history()
                .mesh(0, 0, 1)
                .endOf(program(7))
                .allocate(L1, devices(0, 1), 0x1000, 64)
                .circularBufferOf(program(7))
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.UNDECIDED)
                .inconclusiveReasons(
                        "2 buffers were reported too late to be true, the first (L1 0x1000 (4096) on device 0, {allocated 1}) after"
                                + " program 7 ended, so what became of the memory is not known.");
    }

    @Test
    void isConclusiveForAllocationsOfAnotherOpenMeshOverTheDevice() {
        var history = history()
                .mesh(0, 0)
                .submesh(1, 0, 0)
                .closeMesh(1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .closed();

        judged(history).hasOutcome(Outcome.LEAKED).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void acceptsANameThatRecursInAnotherOpenPeriodOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .endOf(program(1))
                .close()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(program(1))
                .closed();

        judged(history).hasOutcome(Outcome.LEAKED).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void saysHowManyReportsAreMissing() {
        var history = history()
                .lost(1, "a frame was too short")
                .lost(12, "the queue was full")
                .lost(-1, "the connection was cut")
                .recorded();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "1 report is missing ({reports lost 1}: a frame was too short).",
                        "12 reports are missing ({reports lost 2}: the queue was full).",
                        "An unknown number of reports is missing ({last reports lost}: the connection was cut).")
                .verdict();

        assertThat(verdict.isLeakFree()).isFalse();
        assertThat(verdict.hasBalancedReports()).isFalse();
    }

    @Test
    void namesMemoryThatTheWitnessHoldsAndNobodyReported() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "When close began ({witnessed}) the allocator held 1 buffer that the ledger does not, the first at"
                                + " DRAM 0x1000 (4096) on device 0.");
    }

    @Test
    void namesTheFirstOfManyUnreportedBuffers() {
        var history = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, devices(0, 1), 0x1000, 0x2000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .inconclusiveReasons(
                        "When close began ({witnessed}) the allocator held 3 buffers that the ledger does not, the first at"
                                + " DRAM 0x2000 (8192) on device 0.");
    }

    @Test
    void isInconclusiveAboutMemoryThatTheWitnessHoldsThoughItsFreeWasReported() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.INCONCLUSIVE);
    }

    @Test
    void isInconclusiveAboutMemoryWhereOnlyACircularBufferWasReported() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .circularBufferOf(program(7))
                .witness(CLOSE_BEGUN, L1, device(0), 0x1000)
                .free(L1, device(0), 0x1000)
                .circularBufferOf(program(7))
                .closed();

        judged(history).hasOutcome(Outcome.INCONCLUSIVE);
    }

    @Test
    void isConclusiveWhereABufferLiesAtTheAddressOfACircularBuffer() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .circularBufferOf(program(7))
                .allocate(L1, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .witness(CLOSE_BEGUN, L1, device(0), 0x1000)
                .free(L1, device(0), 0x1000)
                .lifetime(BufferLifetime.SYSTEM)
                .free(L1, device(0), 0x1000)
                .circularBufferOf(program(7))
                .closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void isInconclusiveAboutMemoryReportedOnlyAfterTheSnapshot() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.INCONCLUSIVE);
    }

    @Test
    void isInconclusiveAboutMemoryReportedOnlyInAnEarlierOpenPeriodOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(1, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.FREE_UNREPORTED, SurvivorStatus.MISREPORTED)
                .inconclusiveReasons(
                        "When close began ({last witnessed}) the allocator held 1 buffer that the ledger does not, the first at"
                                + " DRAM 0x1000 (4096) on device 0.");
    }

    @Test
    void isConclusiveForWhatWasAllocatedAfterTheReset() {
        var history = history()
                .mesh(0, 0)
                .witness(AFTER_WIPE, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void namesUnreportedMemoryThatWasAllocatedBeforeTheResetOnly() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x2000)
                .witness(BEFORE_WIPE, DRAM, device(0), 0x1000)
                .free(DRAM, device(0), 0x2000)
                .closed();

        judged(history)
                .inconclusiveReasons(
                        "Before the allocators were wiped ({last witnessed}) the allocator held 1 buffer that"
                                + " the ledger does not, the first at DRAM 0x1000 (4096) on device 0.");
    }

    @Test
    void believesNoFreeOfAnotherOpenPeriodOrMesh() {
        judged(heldAtClose().close().mesh(0, 0).free(DRAM, device(0), 0x1000).closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
        judged(heldAtClose()
                        .closeWithoutDevices()
                        .meshWithoutDevices(1, 0)
                        .free(DRAM, device(0), 0x1000)
                        .onMesh(1)
                        .closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
        judged(history()
                        .mesh(0, 0)
                        .witnessOf(
                                WitnessSnapshot.of(0, CLOSE_BEGUN).ofAllocator(AllocatorId.MESH),
                                DRAM,
                                device(0),
                                0x1000)
                        .submesh(1, 0, 0)
                        .free(DRAM, device(0), 0x1000)
                        .onMesh(1)
                        .closed())
                .inconclusiveReasons(HELD_AT_CLOSE
                        .replace("close began", "the close of mesh 0 began")
                        .replace("the allocator", "its allocator"));
    }

    @Test
    void believesNoReadingBeforeTheWipeOfALaterOpenPeriod() {
        judged(heldAtClose()
                        .close()
                        .mesh(0, 0)
                        .witness(BEFORE_WIPE, DRAM, device(0))
                        .closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
    }

    @Test
    void reportsOneReasonOnceHoweverManyReportsWereLost() {
        var tracker = AllocationTracker.create();
        for (int i = 0; i < 1_000; i++) {
            tracker.allocated(-1, BufferType.DRAM, 0x1000, 64);
        }

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

        assertThat(verdict.inconclusiveReasonTexts())
                .singleElement()
                .asString()
                .endsWith("device -1 was reported, and only devices 0 to 65535 can be).")
                .startsWith(expected(tracker.history(), "1000 reports are missing (first at {reports lost 1}"));
    }

    @Test
    void hasNothingToSayOfNoLostReport() {
        var tracker = AllocationTracker.create();

        tracker.sourceAttached("binding");
        tracker.reportsLost(0, "nothing happened");

        assertThat(LeakCheck.create().examine(tracker.history()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void isNotFooledByATrackerThatNothingReportsTo() {
        var history = history().phase(Phase.TEST).checkedOn("2026-11-20").recorded();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "Nothing was ever connected to the tracker: no mesh, no device and no buffer was reported to it. Report"
                                + " to it, or call sourceAttached(…) if a source is connected that has nothing to report.");
    }

    @Test
    void cannotKnowWhatHappenedWhileTrackingWasOff() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .stopped("TT_ALLOC_TRACKING_ENABLED was unset")
                .started()
                .recorded();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasStandings(SurvivorStatus.UNDECIDED)
                .inconclusiveReasons(
                        "Tracking was off from {tracking stopped} on (TT_ALLOC_TRACKING_ENABLED was unset), so what was allocated and"
                                + " freed meanwhile is not known, nor what became of 1 buffer from before.");
    }

    private static WitnessSnapshot.Builder ofAllTypes(int mesh, int device) {
        WitnessSnapshot.Builder snapshot = WitnessSnapshot.of(mesh, CLOSE_BEGUN);
        Stream.of(BufferType.values()).forEach(type -> snapshot.region(device, type));
        return snapshot;
    }

    @Test
    void knowsByTheWitnessWhatHappenedWhileTrackingWasOff() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .stopped("the server was down")
                .started()
                .witnessOf(ofAllTypes(0, 0), DRAM, device(0), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasStandings(SurvivorStatus.LEAKED)
                .inconclusiveReasons();
    }

    @Test
    void doesNotTakeTheWitnessOfAnotherMeshForOneThatSawABuffer() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .stopped("the server was down")
                .started()
                .witnessOf(1, CLOSE_BEGUN, DRAM, device(1))
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasStandings(SurvivorStatus.UNDECIDED)
                .inconclusiveReasons(
                        "Tracking was off from {tracking stopped} on (the server was down), so what was allocated and freed meanwhile"
                                + " is not known, nor what became of 1 buffer from before.");
        assertThat(LeakCheck.create().examine(history).isLeakFree()).isFalse();
    }

    @Test
    void isConclusiveForABufferThatIsExpectedAnyway() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .circularBufferOf(program(7))
                .stopped("the server was down")
                .started()
                .witnessOf(ofAllTypes(0, 0), L1, device(0))
                .closed();

        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(
                        Expectation.because("kept on purpose").atMost(1)))
                .examine(history);

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void needsNoWitnessOfAMeshThatWasClosedBeforeTrackingWasOff() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 1)
                .closeMesh(0)
                .stopped("the server was down")
                .started()
                .witnessOf(ofAllTypes(1, 1), DRAM, device(1))
                .closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void knowsThatTheAllocatorOfADeviceServesEveryMeshOverIt() {
        var history = history()
                .mesh(0, 0)
                .submesh(1, 0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .owning()
                .onMesh(0)
                .witnessOf(1, CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closeMesh(1)
                .free(DRAM, device(0), 0x1000)
                .owning()
                .onMesh(0)
                .closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void decidesNothingAboutABufferWhoseFreeOvertookItsReport() {
        var history = history()
                .mesh(0, 0, 1)
                .free(DRAM, devices(0, 1), 0x1000)
                .onMesh(0)
                .extent(64)
                .allocate(DRAM, devices(0, 1), 0x1000, 128)
                .onMesh(0)
                .extent(64)
                .witness(CLOSE_BEGUN, DRAM, devices(0, 1), 0x1000)
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.UNDECIDED)
                .inconclusiveReasons(
                        "2 buffers were freed before they were reported, the first DRAM 0x1000 (4096) on device 0, generation"
                                + " 1, so reports are out of order and what became of the memory is not known.");
    }

    @Test
    void doesNotTakeTheFreeOfAnotherExtentForOneThatOvertook() {
        var history = history()
                .mesh(0, 0)
                .free(DRAM, device(0), 0x1000)
                .onMesh(0)
                .extent(32)
                .allocate(DRAM, device(0), 0x1000, 128)
                .onMesh(0)
                .extent(64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.LEAKED).inconclusiveReasons();
    }

    @Test
    void doesNotLetAFreeOfAnotherExtentEndABuffer() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 128)
                .onMesh(0)
                .extent(64)
                .free(DRAM, device(0), 0x1000)
                .onMesh(0)
                .extent(32)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.LEAKED).hasStandings(SurvivorStatus.LEAKED);
    }

    @Test
    void freesTheReportOnTheSameDevices() {
        var history = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .onMesh(0)
                .traced(Reachability.lost())
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .traced(Reachability.held())
                .free(DRAM, devices(0, 1), 0x1000)
                .onMesh(0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(Cause.HELD, SurvivorStatus.LEAKED);
    }

    @Test
    void decidesNothingAboutABufferWhoseFreeMayBeAmongLostReports() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lost(1, "the line was cut")
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because(
                        "no free was reported",
                        "reports got lost later on ({reports lost}), so it may have been freed, and no snapshot covers it");
    }

    @Test
    void isInconclusiveWhereTwoMeshesHaveADeviceOpen() {
        var history = history()
                .mesh(0, 0, 1)
                .mesh(1, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "Device 0 was opened again ({device opened 3}) while it was open, and so was 1 other, so the reports of the two meshes cannot be kept"
                                + " apart. Open them through one Ttnn, or close the first one before.");
    }

    @Test
    void isConclusiveForADeviceWhoseMeshWasClosedBefore() {
        var history = history().mesh(0, 0).closeWithoutDevices().mesh(1, 0).closed();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void isConclusiveForWhatIsFreedAfterTheSnapshotThoughItsAllocationWasNeverReported() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .free(DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.MISREPORTED).inconclusiveReasons();
    }

    @Test
    void isInconclusiveAboutMemoryOfWhichOnlyAnEarlierOrAnotherFreeIsKnown() {
        var history = history()
                .mesh(0, 0)
                .free(DRAM, device(0), 0x1000)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .free(DRAM, device(0), 0x2000)
                .closed();

        judged(history)
                .inconclusiveReasons(
                        "When close began ({witnessed}) the allocator held 1 buffer that the ledger does not, the first at"
                                + " DRAM 0x1000 (4096) on device 0.");
    }

    @Test
    void saysHowManyDevicesWereOpenedTwice() {
        var history = history()
                .mesh(0, 0, 1, 2)
                .mesh(1, 0, 1, 2)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .inconclusiveReasons(
                        "Device 0 was opened again ({device opened 4}) while it was open, and so were 2 others, so the reports of the two meshes cannot be kept"
                                + " apart. Open them through one Ttnn, or close the first one before.");
    }

    @Test
    void knowsNoNumberOfReportsWhereOneLossHasNone() {
        var history = history()
                .source("binding")
                .lost(3, "the line was cut")
                .lost(-1, "the line was cut")
                .recorded();

        judged(history)
                .inconclusiveReasons(
                        "An unknown number of reports is missing (first at {reports lost 1}: the line was cut).");
    }

    @Test
    void knowsWhatNobodyCanHaveFreedWhileTrackingWasOff() {
        var history = history()
                .stopped("the server was down")
                .started()
                .allocate(DRAM, device(0), 0x1000, 64)
                .recorded();

        judged(history)
                .hasOutcome(Outcome.LEAKED)
                .hasStandings(SurvivorStatus.LEAKED)
                .inconclusiveReasons(
                        "Tracking was off from {tracking stopped} on (the server was down), so what was allocated and freed meanwhile"
                                + " is not known.");
    }

    @Test
    void isInconclusiveAboutBuffersThatWereLiveWhenTrackingStoppedForGood() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x2000, 64)
                .stopped("the server was down")
                .recorded();

        judged(history)
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "Tracking ended at {tracking stopped} (the server was down), so it is not known whether 2 buffers were freed later.");
    }

    @Test
    void isInconclusiveAboutBuffersThatWereLiveWhenTrackingStoppedThoughTheirFreeWasReported() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .stopped("the server was down")
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history)
                .inconclusiveReasons(
                        "Tracking ended at {tracking stopped} (the server was down), so it is not known what was allocated later.");
    }

    @Test
    void isInconclusiveWhereTrackingStoppedAndNothingWasReported() {
        judged(history().stopped("the server was down").recorded())
                .hasOutcome(Outcome.INCONCLUSIVE)
                .inconclusiveReasons(
                        "Tracking ended at {tracking stopped} (the server was down), so it is not known what was allocated later.");
    }

    @Test
    void isConclusiveWhenTrackingStopsAfterEveryReportedBufferIsFreed() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .stopped("the run was over")
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void isInconclusiveWhereOnlyASnapshotAfterTrackingStoppedOmitsTheBuffer() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .stopped("the server was down")
                .witness(WitnessSnapshot.Moment.AFTER_WIPE, DRAM, device(0))
                .recorded();

        judged(history)
                .inconclusiveReasons(
                        "Tracking ended at {tracking stopped} (the server was down), so it is not known whether 1 buffer was freed later.");
    }

    @Test
    void isConclusiveForWhatAWitnessCalledFreeBeforeTrackingStopped() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .stopped("the server was down")
                .recorded();

        judged(history).hasOutcome(Outcome.MISREPORTED).inconclusiveReasons();
    }

    @Test
    void doesNotMindThatTrackingStopsBeforeAnythingIsThere() {
        var history = history()
                .stopped("the server was down")
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        judged(history).hasOutcome(Outcome.LEAK_FREE).inconclusiveReasons();
    }

    @Test
    void isInconclusiveAfterAGapAfterTheLastSnapshot() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .stopped("the server was down")
                .started()
                .witness(AFTER_WIPE, DRAM, device(0))
                .closed();

        judged(history)
                .inconclusiveReasons(
                        "Tracking was off from {tracking stopped} on (the server was down), so what was allocated and freed meanwhile"
                                + " is not known.");
    }

    @Test
    void isUndecidedOnlyAboutBuffersFromBeforeTrackingWasOff() {
        var history = history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .stopped("the server was down")
                .started()
                .allocate(DRAM, device(0), 0x2000, 64)
                .recorded();

        judged(history)
                .hasStandings(SurvivorStatus.UNDECIDED, SurvivorStatus.LEAKED)
                .inconclusiveReasons(
                        "Tracking was off from {tracking stopped} on (the server was down), so what was allocated and freed meanwhile"
                                + " is not known, nor what became of 1 buffer from before.");
    }

    @Test
    void decidesWhatCameAfterReportsGotLost() {
        var history = history()
                .lost(1, "the line was cut")
                .allocate(DRAM, device(0), 0x1000, 64)
                .recorded();

        judged(history).hasOutcome(Outcome.LEAKED).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void addsUpWhatWasAllocatedAndWhatIsLeft() {
        var history = HistoryScript.historyWithoutOrigins()
                .allocate(DRAM, devices(0, 1), 0x1000, 64)
                .allocate(DRAM, device(1), 0x2000, 32)
                .free(DRAM, device(0), 0x1000)
                .recorded();

        LeakVerdict verdict =
                judged(history).hasOutcome(Outcome.LEAKED).inconclusiveReasons().verdict();

        assertThat(verdict.sum()).isEqualTo(new LeakVerdict.Sum(3, 1, 0, 2, 0, 0, 0));
        assertThat(verdict.totals())
                .containsExactly(new LeakVerdict.TypeTotal(DRAM, BufferLifetime.USER, 3, 160, 2, 96));
    }

    @Test
    void isUndecidedAboutABufferReportedAfterItsMeshWasClosedWithoutABeginning() {
        var history = history()
                .meshWithoutDevices(0, 0)
                .meshWithoutDevices(1, 1)
                .closeWithoutDevices()
                .allocate(DRAM, device(0), 0x1000, 64)
                .recorded();

        judged(history)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because(
                        "it was reported after the last mesh over the device began to close ({mesh closed 1}), so the report is"
                                + " late");
    }

    @Test
    void isUndecidedAboutABufferReportedAfterItsMeshWasClosedThoughAnotherDeviceIsInUse() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 1)
                .closeMesh(0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .closed();

        judged(history)
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.UNDECIDED)
                .because(
                        "it was reported after the last mesh over the device began to close ({mesh closing}), so the report is"
                                + " late");
    }

    private static HistoryScript heldAtClose() {
        return history().mesh(0, 0).witness(CLOSE_BEGUN, DRAM, device(0), 0x1000);
    }

    private static final String HELD_AT_CLOSE =
            "When close began ({witnessed 1}) the allocator held 1 buffer that the ledger does not, the first at DRAM 0x1000 (4096)"
                    + " on device 0.";

    @Test
    void countsUnreportedMemoryThatWasFreeBeforeTheWipeAsMisreported() {
        var history = heldAtClose().witness(BEFORE_WIPE, DRAM, device(0)).closed();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.MISREPORTED)
                .inconclusiveReasons()
                .verdict();

        assertThat(verdict.anomalies()).singleElement().satisfies(anomaly -> {
            assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.NEVER_REPORTED);
            assertThat(anomaly.device()).isZero();
            assertThat(anomaly.address()).isEqualTo(0x1000);
        });
    }

    @Test
    void countsMemoryThatWasFreedAndGoneBeforeTheWipeOnce() {
        var history = heldAtClose()
                .free(DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, DRAM, device(0))
                .closed();

        LeakVerdict verdict = judged(history)
                .hasOutcome(Outcome.MISREPORTED)
                .inconclusiveReasons()
                .verdict();

        assertThat(verdict.anomalies()).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.UNKNOWN_FREE);
    }

    @Test
    void isInconclusiveAboutUnreportedMemoryHeldBeforeTheWipe() {
        judged(heldAtClose().witness(BEFORE_WIPE, DRAM, device(0), 0x1000).closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
    }

    @Test
    void isInconclusiveAboutMemoryHeldBeforeTheWipeThoughItsFreeWasReportedEarlier() {
        var history = heldAtClose()
                .free(DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, DRAM, device(0), 0x1000)
                .closed();

        judged(history).inconclusiveReasons(HELD_AT_CLOSE);
    }

    @Test
    void isConclusiveForWhatIsFreedAfterTheSnapshotBeforeTheWipe() {
        var history = heldAtClose()
                .witness(BEFORE_WIPE, DRAM, device(0), 0x1000)
                .free(DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOutcome(Outcome.MISREPORTED).inconclusiveReasons();
    }

    @Test
    void believesNoReadingBeforeTheWipeOfAnotherDeviceMemoryMeshOrTime() {
        judged(heldAtClose().witness(BEFORE_WIPE, L1, device(0)).closed()).inconclusiveReasons(HELD_AT_CLOSE);
        judged(heldAtClose().witness(BEFORE_WIPE, DRAM, device(1)).closed()).inconclusiveReasons(HELD_AT_CLOSE);
        judged(heldAtClose().witnessOf(1, BEFORE_WIPE, DRAM, device(0)).closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
        judged(heldAtClose().witness(AFTER_WIPE, DRAM, device(0)).closed()).inconclusiveReasons(HELD_AT_CLOSE);
        judged(history()
                        .mesh(0, 0)
                        .witness(BEFORE_WIPE, DRAM, device(0))
                        .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                        .closed())
                .inconclusiveReasons(HELD_AT_CLOSE.replace("{witnessed 1}", "{witnessed 2}"));
    }

    @Test
    void believesNoFreeThatWasIgnored() {
        judged(heldAtClose()
                        .freeIgnored(DRAM, device(0), 0x1000, IgnoredFreeReason.UNKNOWN_ADDRESS)
                        .closed())
                .inconclusiveReasons(HELD_AT_CLOSE);
    }

    @Test
    void believesAFreeThoughAnotherMemoryWasReadBeforeTheWipe() {
        var history = heldAtClose()
                .free(DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, L1, device(0))
                .closed();

        judged(history).hasOutcome(Outcome.MISREPORTED).inconclusiveReasons();
    }

    /** The free ended a buffer of the mesh's earlier open period: the survivor came later, and no free overtook it. */
    @Test
    void blamesNoFreeOfABufferFromBeforeTheMeshWasClosed() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .extent(64)
                .close()
                .free(DRAM, device(0), 0x1000)
                .onMesh(0)
                .extent(64)
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .extent(64)
                .closed();

        LeakVerdict verdict = judged(history)
                .hasCauses(Cause.LATE, Cause.UNEXPLAINED)
                .hasStandings(SurvivorStatus.FREED_LATE, SurvivorStatus.LEAKED)
                .inconclusiveReasons()
                .verdict();

        assertThat(verdict.anomalies())
                .extracting(Anomaly::kind)
                .containsExactly(Anomaly.Kind.FREE_REPORTED_AFTER_CLOSE);
    }
}
