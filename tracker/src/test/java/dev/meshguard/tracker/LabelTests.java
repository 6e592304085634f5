package dev.meshguard.tracker;

import static dev.meshguard.event.BufferType.DRAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Ownership;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LabelTests {

    private final AllocationTracker tracker = AllocationTracker.create();
    private final AtomicLong nextAddress = new AtomicLong();

    @Test
    void saysWhatTheBuffersOfAScopeAreFor() {
        allocate();
        try (Scope weights = tracker.label("weights")) {
            allocate();
        }
        allocate();

        assertThat(labels()).containsExactly("-", "weights", "-");
    }

    @Test
    void nestsAndGoesBackToTheOuterOne() {
        try (Scope outer = tracker.label("outer")) {
            try (Scope inner = tracker.label("inner")) {
                allocate();
            }
            allocate();
        }

        assertThat(labels()).containsExactly("inner", "outer");
    }

    @Test
    void givesWayToTheLabelOfTheSource() {
        try (Scope weights = tracker.label("weights")) {
            var request = tracker.request(AllocationDetails.user().labelled("kv-cache"));
            tracker.allocated(request, 0, DRAM, 0x1000, 64, Ownership.UNKNOWN);
        }

        assertThat(labels()).containsExactly("kv-cache");
    }

    @Test
    void belongsToItsThread() throws InterruptedException {
        try (Scope weights = tracker.label("weights")) {
            Thread other = new Thread(this::allocate);
            other.start();
            other.join();
        }

        assertThat(labels()).containsExactly("-");
    }

    @Test
    void belongsToItsTracker() {
        AllocationTracker other = AllocationTracker.create();
        try (Scope weights = other.label("weights")) {
            allocate();
        }

        assertThat(labels()).containsExactly("-");
    }

    @Test
    void doesNotEndALaterOneWhenItIsClosedTwice() {
        Scope first = tracker.label("first");
        first.close();
        Scope second = tracker.label("second");
        first.close();
        allocate();
        second.close();

        assertThat(labels()).containsExactly("second");
    }

    @Test
    void doesNotStayWhenScopesAreClosedOutOfOrder() {
        Scope outer = tracker.label("outer");
        Scope inner = tracker.label("inner");
        outer.close();
        allocate();
        inner.close();
        allocate();

        assertThat(labels()).containsExactly("inner", "-");
    }

    @Test
    void endsOneOfTwoScopesWithTheSameTextOnly() {
        try (Scope outer = tracker.label("weights")) {
            tracker.label("weights").close();
            allocate();
        }

        assertThat(labels()).containsExactly("weights");
    }

    @Test
    void mayBeClosedByAnotherThread() throws InterruptedException {
        Scope weights = tracker.label("weights");
        Thread other = new Thread(weights::close);
        other.start();
        other.join();
        allocate();

        assertThat(labels()).containsExactly("-");
    }

    @Test
    void coversAPieceOfCodeAndReturnsItsResult() {
        String result = tracker.label("kv-cache", () -> {
            allocate();
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(labels()).containsExactly("kv-cache");
    }

    @ParameterizedTest
    @EnumSource(OriginCapture.class)
    void isKeptHoweverOriginsAreCaptured(OriginCapture capture) {
        AllocationTracker other =
                AllocationTracker.builder().originCapture(capture).build();
        try (Scope weights = other.label("weights")) {
            other.allocated(0, DRAM, 0x1000, 64);
        }

        assertThat(other.history().live().get(0).label()).contains("weights");
    }

    @Test
    void rejectsABlankOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.label(" "))
                .withMessage("A label says what buffers are for: the label given is blank");
    }

    private void allocate() {
        tracker.allocated(0, DRAM, nextAddress.addAndGet(64), 64);
    }

    private List<String> labels() {
        return tracker.history().live().stream()
                .map(buffer -> buffer.label().orElse("-"))
                .toList();
    }
}
