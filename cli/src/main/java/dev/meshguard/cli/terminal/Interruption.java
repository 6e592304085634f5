package dev.meshguard.cli.terminal;

import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A Ctrl+C: the command ends its work and prints its result before the process exits. */
public final class Interruption implements AutoCloseable {

    private static final long MAX_SECONDS_TO_ANSWER = 60;

    private final CountDownLatch answered = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "meshguard-interruption");
    private volatile Runnable atSignal = () -> {};
    private volatile boolean isAskedFor;
    private volatile OptionalInt status = OptionalInt.empty();

    /**
     * From now on the JVM's end waits for the result.
     *
     * @param newAtSignal ends what the command waits for; called by another thread
     */
    public void await(Runnable newAtSignal) {
        atSignal = newAtSignal;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    public boolean isAskedFor() {
        return isAskedFor;
    }

    private void interrupted() {
        isAskedFor = true;
        atSignal.run();
        try {
            if (!answered.await(MAX_SECONDS_TO_ANSWER, TimeUnit.SECONDS)) {
                return;
            }
            // The process would exit with the status of the signal, regardless of the result.
            status.ifPresent(Runtime.getRuntime()::halt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sets the exit status for any kind of end; all output is complete. */
    public void answered(int newStatus) {
        status = OptionalInt.of(newStatus);
    }

    /** Releases the JVM: the result is printed. */
    @Override
    public void close() {
        answered.countDown();
        if (!isAskedFor) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM began to end at this moment; the hook has nothing to wait for any more.
                isAskedFor = true;
            }
        }
    }
}
