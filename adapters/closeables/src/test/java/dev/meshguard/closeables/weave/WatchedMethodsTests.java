package dev.meshguard.closeables.weave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.weave.CallWatcher;
import dev.meshguard.weave.WatchedMethods;
import dev.meshguard.weave.Weaver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of named methods are reported when they begin. */
class WatchedMethodsTests {

    static class Buffer implements Comparable<Buffer> {

        Buffer retain() {
            return retain(1);
        }

        Buffer retain(int increment) {
            if (increment < 0) {
                throw new IllegalArgumentException();
            }
            return this;
        }

        Buffer retain(int increment, String hint) {
            return this;
        }

        Buffer touch(Object hint) {
            return this;
        }

        Buffer weigh(long weight) {
            return this;
        }

        static void release() {}

        @Override
        public int compareTo(Buffer other) {
            return 0;
        }
    }

    static class PooledBuffer extends Buffer {

        @Override
        Buffer touch(Object hint) {
            return this;
        }
    }

    private final List<String> calls = new ArrayList<>();
    private final CallWatcher watcher = (receiver, method, argument) ->
            calls.add(receiver.getClass().getSimpleName() + "." + method + " " + argument);

    @BeforeEach
    void watch() {
        RecordingWatcher.watching(AutoCloseableBuffer.class); // Attaches the agent.
        assertThat(Weaver.watchCalls(
                        Set.of(new WatchedMethods(
                                Buffer.class.getName(), Set.of("retain", "touch", "weigh", "release", "compareTo"))),
                        watcher))
                .isTrue();
    }

    static class AutoCloseableBuffer implements AutoCloseable {

        @Override
        public void close() {}
    }

    @Test
    void allOverloadsWithAtMostOneParameterReport() {
        Buffer buffer = new Buffer();
        buffer.retain();
        buffer.retain(300, "twice");
        buffer.touch("here");
        buffer.weigh(2);
        Buffer.release();

        assertThat(calls)
                .containsExactly("Buffer.retain null", "Buffer.retain 1", "Buffer.touch here", "Buffer.weigh null");
    }

    @Test
    void aCallThatThrowsHasBegun() {
        try {
            new Buffer().retain(-1);
        } catch (IllegalArgumentException expected) {
            calls.add("thrown");
        }

        assertThat(calls).containsExactly("Buffer.retain -1", "thrown");
    }

    @Test
    void methodsThatASubclassOverridesAreNamedByIt() {
        new PooledBuffer().retain(2).touch(null);

        assertThat(calls).containsExactly("PooledBuffer.retain 2");
    }

    @Test
    void aBridgeMethodIsNoCallOfItsOwn() {
        Comparable<Buffer> buffer = new Buffer();

        buffer.compareTo(new Buffer());

        assertThat(calls).hasSize(1);
    }
}
