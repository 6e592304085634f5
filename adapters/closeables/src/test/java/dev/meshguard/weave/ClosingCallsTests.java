package dev.meshguard.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A thread leaves its calls in any order: the end of an inner one may be lost. */
class ClosingCallsTests {

    /** More than fit on the stack of a thread. */
    private static final int INNER_CALLS = 1_000_000;

    private static final Watch WATCH = new Watch() {
        @Override
        public Object watcher() {
            return this;
        }

        @Override
        public Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader) {
            return Optional.empty();
        }
    };

    @Test
    void aCallEndsHoweverManyRunInIt() {
        ClosingCalls calls = new ClosingCalls();
        Object outer = new Object();
        Object inner = new Object();
        calls.begin(WATCH, outer, "close", true);
        for (int i = 0; i < INNER_CALLS; i++) {
            calls.begin(WATCH, inner, "end", true);
        }

        assertThat(calls.end(WATCH, outer)).isEqualTo("close");
        assertThat(calls.end(WATCH, outer)).isNull();
        assertThat(calls.end(WATCH, inner)).isEqualTo("end");
        assertThat(calls.deciding(WATCH, inner)).hasSize(INNER_CALLS - 1);
    }
}
