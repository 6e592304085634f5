package dev.meshguard.assertions;

import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.HistorySource;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

/** A history source is judged like its history. */
class HistorySourceTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final HistorySource log = tracker::history;

    @Test
    void whatIsCleanPasses() {
        tracker.sourceAttached("log");

        assertThat(log).noLeaks();
        LeakSoftAssertions softly = new LeakSoftAssertions();
        softly.assertThat(log).noLeaks();
        softly.assertAll();
    }

    @Test
    void whatLeaksFails() {
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.L1, 4096, 64, Ownership.OWNING);

        assertThatThrownBy(() -> assertThat(log).noLeaks()).isInstanceOf(LeakAssertionError.class);
        LeakSoftAssertions softly = new LeakSoftAssertions();
        softly.assertThat(log).noLeaks();
        assertThatThrownBy(softly::assertAll).isInstanceOf(AssertionError.class);
    }
}
