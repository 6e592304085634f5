package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OriginCaptureTests {

    private static final int KEPT = StackKeeper.STACKS_KEPT;

    @Test
    void findsTheUsersLineFirstAndNothingOfMeshGuardOrJUnit() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, DRAM, 0x1000, 64);

        Origin origin = tracker.history().live().get(0).origin().orElseThrow();

        assertThat(origin.frames())
                .extracting(StackTraceElement::getMethodName)
                .containsExactly("findsTheUsersLineFirstAndNothingOfMeshGuardOrJUnit");
    }

    @Test
    void takesOneStackForARequestOnManyDevices() {
        AllocationTracker tracker = AllocationTracker.create();
        var request = tracker.request(AllocationDetails.user());
        for (int device = 0; device < 8; device++) {
            tracker.allocated(request, device, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        }

        Origin first = tracker.history().live().get(0).origin().orElseThrow();

        assertThat(tracker.history().live())
                .hasSize(8)
                .allSatisfy(buffer -> assertThat(buffer.origin()).containsSame(first));
    }

    @ParameterizedTest
    @CsvSource({"ALLOCATIONS, false, true", "ALLOCATIONS_AND_FREES, true, true", "NONE, false, false"})
    void takesStacksOfOrdinaryFreesAndOfThoseThatFindNothingAsAsked(
            OriginCapture capture, boolean ofOrdinary, boolean ofNothing) {
        var history = allocateAndFree(capture);

        assertThat(originOfFree(history, 0).isPresent()).isEqualTo(ofOrdinary);
        assertThat(originOfFree(history, 1).isPresent()).isEqualTo(ofNothing);
        assertThat(history.generations())
                .allMatch(buffer -> buffer.origin().isPresent() == (capture != OriginCapture.NONE));
    }

    @Test
    void takesTheStackOfFreesThatTheRuntimeIgnored() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 0, DRAM, 0x1000, IgnoredFreeReason.UNKNOWN_ADDRESS);

        var event = (HistoryEvent.FreeIgnored) tracker.history().events().get(0);

        assertThat(event.request().origin()).isPresent();
    }

    @Test
    void takesNoStackOfAFreeThatNobodyCalledFor() {
        AllocationTracker tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
                .build();
        var release = tracker.release(AllocationDetails.user().ofCollectedHandle());
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(release, 0, DRAM, 0x1000, Ownership.OWNING);
        tracker.freed(release, 0, DRAM, 0x2000, Ownership.OWNING);
        tracker.freeIgnored(release, 0, DRAM, 0x1000, IgnoredFreeReason.DEVICE_CLOSED);

        assertThat(release.origin()).isEmpty();
        assertThat(tracker.history().events()).hasSize(4);
    }

    @Test
    void keepsTheStacksOfSoManyFreedRequestsAndNoMore() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int i = 0; i < KEPT + 3; i++) {
            tracker.allocated(0, DRAM, 64L * i, 64);
            tracker.freed(0, DRAM, 64L * i);
        }
        tracker.allocated(0, DRAM, 0, 64);

        var generations = tracker.history().generations();

        assertThat(generations.subList(0, KEPT))
                .allSatisfy(buffer -> assertThat(buffer.origin()).isPresent());
        assertThat(generations.subList(KEPT, KEPT + 3))
                .allSatisfy(buffer -> assertThat(buffer.origin()).isEmpty());
        assertThat(generations.get(KEPT + 3).origin()).isPresent();
    }

    @Test
    void internsTheStacksOfLiveRequestsBeyondThat() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int i = 0; i < KEPT + 3; i++) {
            tracker.allocated(0, DRAM, 64L * i, 64);
        }

        List<BufferGeneration> live = tracker.history().live();
        Origin shared = live.get(KEPT).origin().orElseThrow();

        assertThat(live.get(KEPT + 1).origin()).containsSame(shared);
        assertThat(live.get(KEPT + 2).origin()).containsSame(shared);
        assertThat(live.get(0).origin()).contains(shared);
    }

    @ParameterizedTest
    @EnumSource(value = OriginCapture.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void internsTheStacksOfFreesBeyondThat(OriginCapture capture) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();
        for (int i = 0; i < KEPT + 3; i++) {
            tracker.freed(0, DRAM, 64L * i);
        }

        var history = tracker.history();
        Origin shared = originOfFree(history, KEPT).orElseThrow();

        assertThat(originOfFree(history, KEPT + 2)).containsSame(shared);
        assertThat(originOfFree(history, 0)).contains(shared);
    }

    @Test
    void keepsTheStackOfABufferThatIsLiveWhateverIsFreed() {
        AllocationTracker tracker = AllocationTracker.create();
        var request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        tracker.allocated(request, 1, DRAM, 0x1000, 64, Ownership.NON_OWNING);
        for (int i = 0; i < KEPT + 1; i++) {
            tracker.allocated(2, DRAM, 64L * i, 64);
            tracker.freed(2, DRAM, 64L * i);
        }
        tracker.freed(0, DRAM, 0x1000);

        assertThat(tracker.history().live().get(0).origin()).isPresent();
    }

    private static AllocationHistory allocateAndFree(OriginCapture capture) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(capture).build();
        tracker.allocated(0, DRAM, 0x1000, 64);
        tracker.freed(0, DRAM, 0x1000);
        tracker.freed(0, DRAM, 0x1000);
        return tracker.history();
    }

    private static Optional<Origin> originOfFree(AllocationHistory history, int which) {
        return history.events().stream()
                .filter(HistoryEvent.Freed.class::isInstance)
                .map(HistoryEvent.Freed.class::cast)
                .skip(which)
                .findFirst()
                .orElseThrow()
                .request()
                .origin();
    }
}
