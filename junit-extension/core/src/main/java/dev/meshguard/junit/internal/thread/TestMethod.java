package dev.meshguard.junit.internal.thread;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A method of a test class, with the test that runs or has run it, if only one did. */
final class TestMethod {

    private final String name;
    private final boolean isOfTest;

    /** The test that runs or has run it, or that it is not certain. */
    private final AtomicReference<@Nullable RunningTest> test = new AtomicReference<>();

    /**
     * Creates a method that no test runs yet.
     *
     * @param isOfTest whether only a test can run code with its name, and no method for all tests of a class
     */
    TestMethod(Method method, boolean isOfTest) {
        String qualified = method.getDeclaringClass().getName() + "#" + method.getName();
        this.name = qualified.substring(qualified.lastIndexOf('.') + 1);
        this.isOfTest = isOfTest;
    }

    /** Returns its name with that of its class, for a reader. */
    String name() {
        return name;
    }

    /** Returns whether it is the method of a test that waits for no run within it. */
    boolean isOfTest() {
        RunningTest last = test.get();
        return isOfTest && last != null && !last.hasNestedRun();
    }

    /** Records that a test runs it. */
    void runs(RunningTest next) {
        test.accumulateAndGet(next, (before, later) -> before == null ? later : before.mergedWith(later));
    }

    @Nullable
    RunningTest test() {
        return test.get();
    }
}
