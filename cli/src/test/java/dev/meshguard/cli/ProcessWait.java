package dev.meshguard.cli;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Waits for what another process does. */
public final class ProcessWait {

    /** A condition that the files of a process show. */
    public interface Condition {
        boolean holds() throws IOException;
    }

    private ProcessWait() {}

    /** Returns when the condition holds, or after a minute, or when the process has exited. */
    public static void until(Process program, Condition condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (program.isAlive() && !condition.holds() && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
    }
}
