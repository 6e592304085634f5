package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.IgnoredFreeReason.ALREADY_FREED;
import static dev.meshguard.event.IgnoredFreeReason.DEVICE_CLOSED;
import static dev.meshguard.event.WitnessSnapshot.Moment.AFTER_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.BEFORE_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Cause.FREE_UNREPORTED;
import static dev.meshguard.verdict.Cause.LATE;
import static dev.meshguard.verdict.Cause.SYSTEM;
import static dev.meshguard.verdict.Cause.UNEXPLAINED;
import static dev.meshguard.verdict.Judgement.judged;
import static dev.meshguard.verdict.SurvivorStatus.EXPECTED;
import static dev.meshguard.verdict.SurvivorStatus.FREED_LATE;
import static dev.meshguard.verdict.SurvivorStatus.LEAKED;
import static dev.meshguard.verdict.SurvivorStatus.MISREPORTED;
import static dev.meshguard.verdict.SurvivorStatus.UNDECIDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import org.junit.jupiter.api.Test;

/** The witness listed the memory as free in time, or its handle was released after the device was closed. */
class FreeUnreportedTests {

    @Test
    void isNamedWhenTheWitnessCallsTheMemoryFreeAtClose() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(FREE_UNREPORTED, MISREPORTED)
                .because("the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    @Test
    void isNamedWhenTheRuntimeFreedItsOwnMemoryBeforeTheWipe() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(FREE_UNREPORTED, MISREPORTED)
                .because(
                        "the allocator reported 0x1000 (4096) as free before the allocators were wiped ({last witnessed})",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})");
    }

    @Test
    void isLeftToWhatIsLateWhenTheHandleWasReleasedAfterTheDeviceWasClosed() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        judged(history)
                .hasOnly(LATE, FREED_LATE)
                .becauseOf("its handle was released at {free ignored}, after close began ({mesh closed})");
    }

    @Test
    void isNamedByTheFirstReadingThatCoversTheMemory() {
        var history = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(1))
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(FREE_UNREPORTED, MISREPORTED)
                .because("the allocator reported 0x1000 (4096) as free when close began ({last witnessed})");
    }

    @Test
    void isLeftToWhatIsLateWhereNobodyReportsThatADeviceIsClosed() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .closeWithoutDevices()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        judged(history).hasOnly(LATE, FREED_LATE);
    }

    @Test
    void isNotNamedWhenTheWitnessHoldsTheMemoryAtClose() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, DRAM, device(0))
                .witness(AFTER_WIPE, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(UNEXPLAINED, LEAKED)
                .because(
                        "no free was reported",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed 1})");
    }

    @Test
    void isNotNamedForAReadingAfterTheWipeOnly() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(AFTER_WIPE, DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED).because("no free was reported");
    }

    @Test
    void isNotNamedForASnapshotAfterTheCloseOfTheMesh() {
        var history = history()
                .mesh(0, 0)
                .meshWithoutDevices(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(1)
                .closeMesh(1)
                .witnessOf(1, CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForASnapshotOfAnotherAllocator() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .onMesh(0)
                .witnessOf(WitnessSnapshot.of(0, CLOSE_BEGUN).ofAllocator(AllocatorId.DEVICE), DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNamedForASnapshotOfTheDeviceThatTheCloseOfAnotherMeshRead() {
        var history = history()
                .mesh(0, 0, 1)
                .submesh(1, 0, 0)
                .allocate(DRAM, device(1), 0x1000, 64)
                .fromAllocator(AllocatorId.DEVICE)
                .closeMesh(1)
                .witnessOf(WitnessSnapshot.of(1, CLOSE_BEGUN).ofAllocator(AllocatorId.DEVICE), DRAM, device(1))
                .closed();

        judged(history).hasOnly(FREE_UNREPORTED, MISREPORTED);
    }

    @Test
    void isNotNamedForASnapshotOfAMeshThatDoesNotCoverTheDevice() {
        var history = history()
                .mesh(0, 0)
                .mesh(1, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witnessOf(1, CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAReadingBeforeTheBufferWasThere() {
        var history = history()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .allocate(DRAM, device(0), 0x1000, 64)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForASnapshotOfALaterOpenPeriodOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .mesh(1, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAReadingOfAnotherDevice() {
        var history = history()
                .mesh(0, 0, 1)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(1))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAReadingOfAnotherMemory() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForRuntimeMemoryThatIsStillAllocatedBeforeTheWipe() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.SYSTEM)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .witness(BEFORE_WIPE, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(SYSTEM, LEAKED);
    }

    @Test
    void isNotNamedForPersistentMemory() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .lifetime(BufferLifetime.PERSISTENT)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history).hasOnly(SYSTEM, EXPECTED);
    }

    @Test
    void isNotNamedForACircularBufferThatNoAllocatorKnows() {
        var history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 101_152, 4_096)
                .circularBufferOf(program(7))
                .witness(CLOSE_BEGUN, L1, device(0))
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForASecondFreeThatTheRuntimeIgnored() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .freeIgnored(DRAM, device(0), 0x1000, ALREADY_FREED)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseANewBufferForTheLateReleaseOfAnOlderHandle() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .closed();

        judged(history).hasCauses(LATE, UNEXPLAINED).hasStandings(FREED_LATE, LEAKED);
    }

    @Test
    void doesNotGuessWhichOfTwoGenerationsALateReleaseMeans() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isLeftToWhatIsLateForEachLifeWhoseHandleIsReleasedBeforeTheNextBegins() {
        var script = history();
        for (int round = 0; round < 3; round++) {
            script.mesh(round, 0)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .close()
                    .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED);
        }

        judged(script.recorded()).hasOnly(LATE, FREED_LATE);
    }

    @Test
    void doesNotExcuseANewBufferForTheLateReleaseOfAHandleWhoseFreeWasReported() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .free(DRAM, device(0), 0x1000)
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseALaterReportForAnEarlierReleaseWhereDevicesAreNotReported() {
        var history = history()
                .meshWithoutDevices(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .closeWithoutDevices()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                .meshWithoutDevices(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .closeWithoutDevices()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseALaterReportForAnEarlierReadingWhereDevicesAreNotReported() {
        var history = history()
                .meshWithoutDevices(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closeWithoutDevices()
                .meshWithoutDevices(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closeWithoutDevices()
                .recorded();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseABufferReportedAfterTheReadingByARequestBegunBefore() {
        var tracker = AllocationTracker.create();
        var script = HistoryScript.on(tracker).mesh(0, 0);
        var request = tracker.request(AllocationDetails.user());
        script.witness(CLOSE_BEGUN, DRAM, device(0));
        tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.UNKNOWN);

        var history = script.closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    /** On device 1, the first of two buffers of one address is reported after the second one. */
    @Test
    void isNotProvedByAReservationOfAnEarlierRequest() {
        var tracker = AllocationTracker.create();
        var script = HistoryScript.on(tracker).mesh(0, 0, 1);
        var ofMesh = AllocationDetails.user().onMesh(0).fromAllocator(AllocatorId.MESH);
        var first = tracker.request(ofMesh.withExtent(32));
        var free = tracker.release(first.details());
        tracker.allocated(first, 0, DRAM, 0x1000, 32, Ownership.NON_OWNING);
        tracker.freed(free, 0, DRAM, 0x1000, Ownership.NON_OWNING);
        script.phase(Phase.TEST);
        var second = tracker.request(ofMesh.withExtent(64));
        tracker.allocated(second, 1, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(first, 1, DRAM, 0x1000, 32, Ownership.NON_OWNING);
        tracker.freed(free, 1, DRAM, 0x1000, Ownership.NON_OWNING);
        tracker.allocated(second, 0, DRAM, 0x1000, 64, Ownership.NON_OWNING);

        judged(script.witness(CLOSE_BEGUN, DRAM, new int[] {0, 1}, 0x1000).closed())
                .hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseABufferForAReadingOfAnEarlierMesh() {
        var history = HistoryScript.historyWithoutOrigins()
                .mesh(0, 0)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        judged(history).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void doesNotExcuseABufferAtAnAddressThatAnEarlierMeshLeftBehind() {
        var history = HistoryScript.historyWithoutOrigins()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .close()
                .mesh(1, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .closed();

        assertThat(judged(history).hasOutcome(Outcome.LEAKED).verdict().survivors())
                .extracting(Survivor::status)
                .containsExactly(MISREPORTED, LEAKED);
    }

    private static AllocationHistory oneOwnerOfAllDevices(
            Ownership ofFirst, Ownership ofFree, long addressOfFirst, BufferKind kind) {
        var tracker = AllocationTracker.create();
        var request = tracker.request(AllocationDetails.user().ofKind(kind));
        tracker.allocated(request, 0, DRAM, addressOfFirst, 64, ofFirst);
        tracker.allocated(request, 1, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 0, DRAM, addressOfFirst, ofFree);
        return tracker.history();
    }

    @Test
    void isNamedWhenTheOneBufferThatOwnsTheMemoryOfItsRequestWasFreed() {
        judged(oneOwnerOfAllDevices(Ownership.OWNING, Ownership.OWNING, 0x1000, BufferKind.BUFFER))
                .hasOnly(FREE_UNREPORTED, MISREPORTED)
                .because("the buffer of the same request that owns its memory was freed at {freed}");
    }

    @Test
    void isNotNamedForAnOwnerOfOtherMemory() {
        judged(oneOwnerOfAllDevices(Ownership.OWNING, Ownership.OWNING, 0x2000, BufferKind.BUFFER))
                .hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForASiblingThatOwnsNothing() {
        judged(oneOwnerOfAllDevices(Ownership.NON_OWNING, Ownership.NON_OWNING, 0x1000, BufferKind.BUFFER))
                .hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedWhereTheFreeDoesNotSayThatItWasTheOwners() {
        judged(oneOwnerOfAllDevices(Ownership.OWNING, Ownership.UNKNOWN, 0x1000, BufferKind.BUFFER))
                .hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotNamedForAnOwnerThatIsOfAnotherRequest() {
        var tracker = AllocationTracker.create();
        var request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(request, 1, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(tracker.request(AllocationDetails.user()), 0, DRAM, 0x1000, 64, Ownership.OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 0, DRAM, 0x1000, Ownership.OWNING);

        judged(tracker.history()).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void blamesNoGapThatWasOverBeforeTheBufferWasThere() {
        var history = history()
                .mesh(0, 0)
                .stopped("the server was down")
                .started()
                .allocate(DRAM, device(0), 0x1000, 64)
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .closed();

        judged(history)
                .hasOnly(FREE_UNREPORTED, MISREPORTED)
                .because("the allocator reported 0x1000 (4096) as free when close began ({witnessed})");
    }

    private static HistoryScript twoAtOneAddressOfAClosedDevice(HistoryScript script) {
        return script.mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED);
    }

    @Test
    void needsAReleaseForEachReportOfWhichNothingIsKnown() {
        judged(twoAtOneAddressOfAClosedDevice(HistoryScript.historyWithoutOrigins())
                        .recorded())
                .hasOnly(UNEXPLAINED, UNDECIDED);
        judged(twoAtOneAddressOfAClosedDevice(HistoryScript.historyWithoutOrigins())
                        .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED)
                        .recorded())
                .hasOnly(LATE, FREED_LATE);
    }

    @Test
    void needsAReleaseForAKnownRequestAndForOneOfWhichNothingIsKnown() {
        var script = HistoryScript.historyWithoutOrigins()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(HistoryScript.program(7))
                .close()
                .freeIgnored(DRAM, device(0), 0x1000, DEVICE_CLOSED);

        judged(script.recorded()).hasOnly(UNEXPLAINED, LEAKED);
    }

    @Test
    void isNotProvedByASnapshotAfterTheCloseOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .fromAllocator(AllocatorId.DEVICE)
                .close()
                .witness(CLOSE_BEGUN, DRAM, device(0))
                .recorded();

        judged(history).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void isDisprovedByMemoryThatASnapshotStillListsAfterTheCloseOfTheDevice() {
        var history = history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 0x1000, 64)
                .close()
                .witness(CLOSE_BEGUN, DRAM, device(0), 0x1000)
                .recorded();

        judged(history)
                .hasOnly(UNEXPLAINED, LEAKED)
                .because(
                        "no free was reported",
                        "the allocator reported 0x1000 (4096) as allocated when close began ({witnessed})")
                .inconclusiveReasons();
    }
}
