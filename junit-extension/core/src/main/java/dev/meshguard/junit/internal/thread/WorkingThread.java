package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.Scope;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A thread, with the test that started it and the tests for which it works now. */
final class WorkingThread {

    private static final InheritableThreadLocal<WorkingThread> CURRENT = new InheritableThreadLocal<>() {
        @Override
        protected WorkingThread initialValue() {
            return new WorkingThread(null, List.of());
        }

        @Override
        protected WorkingThread childValue(WorkingThread parent) {
            RunningTest test = parent.tests.peek();
            return new WorkingThread(
                    test == null ? parent.starter : test,
                    parent.testsAndStarters().stream()
                            .filter(one -> !one.isOver())
                            .toList());
        }
    };

    private final @Nullable RunningTest starter;

    /** The tests and classes that ran when it was started: those of its starter, and of the starters of that thread. */
    private final List<RunningTest> starters;

    private final int begunBefore = RunningTest.begun();

    /** The innermost first. Another thread may end the work for a test, and that for an outer one may end before. */
    private final Deque<RunningTest> tests = new ConcurrentLinkedDeque<>();

    private WorkingThread(@Nullable RunningTest starter, List<RunningTest> starters) {
        this.starter = starter;
        this.starters = starters;
    }

    /** Returns the calling thread. */
    static WorkingThread current() {
        return CURRENT.get();
    }

    /** Returns the test or class that has started it, if that is known and the test waits for no run within it. */
    @Nullable
    RunningTest starter() {
        return starter == null || starter.hasNestedRun() ? null : starter;
    }

    /** Returns the number of tests that have begun since the thread was started. */
    int testsSinceStart() {
        return RunningTest.begun() - begunBefore;
    }

    /** Lets it work for a test until the scope is closed. */
    Scope workFor(RunningTest test) {
        tests.push(test);
        return () -> tests.removeFirstOccurrence(test);
    }

    /** Returns the innermost test that it works for and that waits for no run within it. */
    @Nullable
    RunningTest test() {
        for (RunningTest test : tests) {
            if (!test.hasNestedRun()) {
                return test;
            }
        }
        return null;
    }

    /** Returns the tests that it works for, and those that have started it or the thread that did. */
    List<RunningTest> testsAndStarters() {
        return Stream.concat(tests.stream(), starters.stream()).distinct().toList();
    }
}
