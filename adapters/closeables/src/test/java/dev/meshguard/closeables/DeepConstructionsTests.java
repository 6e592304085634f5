package dev.meshguard.closeables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Code under test may construct and close tracked objects until its stack ends. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("UnusedVariable") // Fields hold what leaks.
class DeepConstructionsTests {

    private static final int RECURSIONS = 60;
    private static final int FRAMES_PER_OBJECT = 64;

    /** A handle of a library. */
    static class Node implements AutoCloseable {

        private static final AtomicInteger CLOSED = new AtomicInteger();

        @Override
        public void close() {
            CLOSED.incrementAndGet();
        }
    }

    /** Its constructor needs stack after that of its superclass has returned. */
    static class NamedNode extends Node {

        private final String name;

        NamedNode(int number) {
            name = String.join(" ", List.of("node", Integer.toString(number)));
        }
    }

    /** Constructs objects in each of some recursions until the stack ends, and gives each the objects that its code got. */
    private static void recurse(Consumer<List<Node>> then) throws InterruptedException {
        for (int stack = 0; stack < RECURSIONS; stack++) {
            List<Node> got = new ArrayList<>(100_000);
            Thread thread = new Thread(
                    null,
                    () -> {
                        assertThatThrownBy(() -> construct(0, got)).isInstanceOf(StackOverflowError.class);
                        then.accept(got);
                    },
                    "deep",
                    300_000 + stack * 1_117L);
            thread.start();
            thread.join();
        }
    }

    private static int construct(int depth, List<Node> got) {
        if (depth % FRAMES_PER_OBJECT == 0) {
            got.add(depth % (2 * FRAMES_PER_OBJECT) == 0 ? new Node() : new NamedNode(depth));
        }
        return depth < 0 ? depth : construct(depth + 1, got) + 1;
    }

    @TrackAllocations
    @TrackCloseables(Node.class)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class DeepCase {

        private static Node leaked;

        @Test
        @Order(1)
        void closesAllThatItGot() throws InterruptedException {
            recurse(got -> got.forEach(Node::close));
        }

        @Test
        @Order(2)
        void closesUntilTheStackEnds() throws InterruptedException {
            recurse(got -> {
                assertThatThrownBy(() -> closeDeep(0, got)).isInstanceOf(StackOverflowError.class);
                got.forEach(Node::close);
            });
        }

        /** Closes the objects that it can, and returns never: those that were closed are not in the list any more. */
        private static int closeDeep(int depth, List<Node> got) {
            if (depth % FRAMES_PER_OBJECT == 0 && !got.isEmpty()) {
                got.get(got.size() - 1).close();
                got.remove(got.size() - 1);
            }
            return depth < 0 ? depth : closeDeep(depth + 1, got) + 1;
        }

        @Test
        @Order(3)
        void leaksAfterwards() {
            leaked = new Node();
        }

        @Test
        @Order(4)
        void closesAfterwards() {
            new Node().close();
        }
    }

    @Test
    void laterLeakIsFoundAndNothingElse() {
        RunAssert run = RunAssert.assertThat(JupiterRun.run(DeepCase.class)).hasOnlyFailed("leaksAfterwards()");

        run.hasTest("leaksAfterwards").whichFailed().withTextContaining("1 Node");
        assertThat(Node.CLOSED).hasPositiveValue();
    }
}
