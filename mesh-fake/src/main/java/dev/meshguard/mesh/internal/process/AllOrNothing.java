package dev.meshguard.mesh.internal.process;

/** Runs work, and undoes it if it throws. */
public final class AllOrNothing {

    private AllOrNothing() {}

    /** Does some work. If it throws, undoes what it has done so far; the caller receives what it threw. */
    public static void run(Runnable work, Runnable undo) {
        boolean complete = false;
        try {
            work.run();
            complete = true;
        } finally {
            if (!complete) {
                undo.run();
            }
        }
    }
}
