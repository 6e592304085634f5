package dev.meshguard.cli.analyze;

import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** That somebody pressed Ctrl+C: the program then ends what it does, answers, and only then is over. */
public final class Interruption implements AutoCloseable {

    private static final long MAX_SECONDS_TO_ANSWER = 60;

    private final CountDownLatch answered = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "meshguard-interruption");
    private volatile boolean isAskedFor;
    private volatile OptionalInt status = OptionalInt.empty();

    /** Has the virtual machine wait for the answer from here on. */
    void await() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    boolean isAskedFor() {
        return isAskedFor;
    }

    private void interrupted() {
        isAskedFor = true;
        try {
            if (!answered.await(MAX_SECONDS_TO_ANSWER, TimeUnit.SECONDS)) {
                return;
            }
            // The program would end with the status of the signal, whatever it found out.
            status.ifPresent(Runtime.getRuntime()::halt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says how the program has to end, whatever it is ended by; all that it has to say is said. */
    public void answered(int newStatus) {
        status = OptionalInt.of(newStatus);
    }

    /** The answer is given. */
    @Override
    public void close() {
        answered.countDown();
        if (!isAskedFor) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The virtual machine began to end this very moment; the hook has nothing to wait for any more.
                isAskedFor = true;
            }
        }
    }
}
