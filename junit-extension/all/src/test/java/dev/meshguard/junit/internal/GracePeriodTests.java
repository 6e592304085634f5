package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.junit.testkit.SteppedTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GracePeriodTests {

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "2, PT2S",
        "2 s, PT2S",
        "2s, PT2S",
        "250 ms, PT0.25S",
        "250MS, PT0.25S",
        "1 m, PT1M",
        "10 m, PT10M",
        "600000 ms, PT10M"
    })
    void readsWhatTimeoutsOfJUnitReadToo(String text, Duration duration) {
        assertThat(GracePeriod.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "soon", "-1 s", "2  s", "2 h", "1.5 s", "11 m", "600001 ms", "99999999999999999999 s", "PT2S"
            })
    void rejectsEverythingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GracePeriod.parse(text))
                .withMessage("Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most 10 m.");
    }

    @Test
    void rejectsAPeriodThatIsTooLongOrNegative() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GracePeriod(Duration.ofMillis(600_001), new SteppedTimer()))
                .withMessage("Give 0 or more, at most 10 m.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GracePeriod(Duration.ofMillis(-1), new SteppedTimer()))
                .withMessage("Give 0 or more, at most 10 m.");
    }

    @Test
    void looksAgainLessAndLessOftenAndEndsInTime() {
        SteppedTimer timer = new SteppedTimer();
        List<Long> looks = new ArrayList<>();

        new GracePeriod(Duration.ofMillis(450), timer).await(() -> {
            looks.add(timer.now().toMillis());
            return 1;
        });

        assertThat(looks).containsExactly(0L, 1L, 3L, 7L, 15L, 31L, 63L, 127L, 227L, 327L, 427L, 450L);
    }

    @Test
    void doesNotEvenLookWhereNoTimeIsGiven() {
        assertThat(new GracePeriod(Duration.ZERO, new SteppedTimer()).await(() -> {
                    throw new AssertionError("looked");
                }))
                .isEmpty();
    }

    @Test
    void aTimeThatPassesFasterThanItSleepsEndsTheWaitToo() {
        List<Duration> slept = new ArrayList<>();
        GraceTimer late = new GraceTimer() {
            @Override
            public long nanoTime() {
                return slept.size() * 700_000_000L;
            }

            @Override
            public void sleep(Duration duration) {
                slept.add(duration);
            }
        };

        assertThat(new GracePeriod(Duration.ofSeconds(2), late).await(() -> 1))
                .contains("waited 2 s for frees of other threads; none of 1 buffer came back meanwhile");
        assertThat(slept).hasSize(3);
    }

    @Test
    void keepsTheInterruptThatEndedIt() {
        SteppedTimer timer = new SteppedTimer();
        timer.interruptSleep();

        assertThat(new GracePeriod(Duration.ofSeconds(2), timer).await(() -> 1))
                .contains(
                        "waited 0 s of 2 s for frees of other threads, then the thread was interrupted; none of 1 buffer"
                                + " came back meanwhile");
        assertThat(Thread.interrupted()).isTrue();
    }
}
