package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void isStartBeforeAnyoneNamesOne() {
        assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.START);
        assertThat(tracker.history().phases()).isEmpty();
    }

    @Test
    void goesBackToTheOneBeforeWhenItIsClosed() {
        try (Scope test = tracker.phase(Phase.TEST)) {
            try (Scope decode = tracker.phase("decode")) {
                assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(new Phase("decode"));
            }
            assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.TEST);
        }

        assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.START);
        assertThat(names()).containsExactly("TEST", "decode", "TEST", "START");
    }

    @Test
    void isClosedOnlyOnce() {
        Scope test = tracker.phase(Phase.TEST);
        test.close();
        test.close();

        assertThat(names()).containsExactly("TEST", "START");
    }

    @Test
    void doesNotEndAnotherOfItsNameWhenItIsClosedTwice() {
        Scope first = tracker.phase(Phase.TEST);
        first.close();
        Scope second = tracker.phase(Phase.TEST);
        first.close();

        assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.TEST);
        second.close();
        assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.START);
    }

    @Test
    void takesThoseBegunInsideWithItWhenItIsClosedOutOfOrder() {
        Scope outer = tracker.phase("outer");
        Scope inner = tracker.phase("inner");

        outer.close();
        inner.close();

        assertThat(tracker.history().phaseAt(Long.MAX_VALUE)).isEqualTo(Phase.START);
        assertThat(names()).containsExactly("outer", "inner", "START");
    }

    @Test
    void rejectsABlankName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.phase(" "))
                .withMessage("A phase needs a name: the name given is blank");
    }

    private List<String> names() {
        return tracker.history().phases().stream()
                .map(began -> began.phase().toString())
                .toList();
    }
}
