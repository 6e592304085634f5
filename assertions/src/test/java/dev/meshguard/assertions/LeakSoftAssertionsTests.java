package dev.meshguard.assertions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.HistorySource;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import org.assertj.core.api.BDDSoftAssertions;
import org.assertj.core.api.SoftAssertionsProvider;
import org.assertj.core.api.junit.jupiter.InjectSoftAssertions;
import org.assertj.core.api.junit.jupiter.SoftAssertionsExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

class LeakSoftAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final LeakSoftAssertions softly = new LeakSoftAssertions();

    @BeforeEach
    void leak() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
    }

    @Test
    void collectsEveryFailure() {
        softly.assertThat(tracker).noLeaks().hasLiveBuffers(7).hasBalancedReports();
        softly.assertThat("AssertJ's own").isEmpty();

        assertThat(softly.errorsCollected()).hasSize(3);
        assertThat(softly.errorsCollected().get(0)).isInstanceOf(LeakAssertionError.class);
    }

    @Test
    void collectsBehindNavigation() {
        softly.assertThat(tracker).survivors().isEmpty();
        softly.assertThat(tracker).survivorsWithCause(Cause.CACHED).hasSize(1);

        assertThat(softly.errorsCollected()).hasSize(2);
    }

    @Test
    void collectsAboutEverySubject() {
        softly.assertThat(tracker.history()).noLeaks();
        softly.assertThat(LeakCheck.create().examine(tracker.history())).noLeaks();
        softly.assertThat((HistorySource) tracker::history).noLeaks();

        assertThat(softly.errorsCollected()).hasSize(3);
    }

    @Test
    void mixesWithAnySoftAssertions() {
        OwnSoftAssertions own = new OwnSoftAssertions();

        own.assertThat(tracker).noLeaks();
        own.then("AssertJ's own").isEmpty();

        assertThat(own.errorsCollected()).hasSize(2);
    }

    @Test
    void worksWithAssertSoftly() {
        SoftAssertionsProvider.assertSoftly(
                LeakSoftAssertions.class,
                collector -> collector.assertThat(tracker).hasLiveBuffers(1));
    }

    static class OwnSoftAssertions extends BDDSoftAssertions implements LeakSoftAssertionsProvider {}

    @Nested
    @ExtendWith(SoftAssertionsExtension.class)
    class Injected {

        @InjectSoftAssertions
        LeakSoftAssertions injected;

        @Test
        void areInjectedByAssertJsExtension() {
            injected.assertThat(tracker).hasLiveBuffers(1);
        }
    }
}
