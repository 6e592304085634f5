package dev.meshguard.benchmarks;

/**
 * Calls a piece of code at an exact depth of the stack.
 *
 * <p>The depth counts every Java frame, those of the harness too; the code itself is the last one.
 */
final class CallDepth {

    private final int depth;
    private int missing = -1;

    CallDepth(int depth) {
        this.depth = depth;
    }

    /** Runs the code. */
    void run(Runnable code) {
        if (missing < 0) {
            missing = depth - framesBelow() - 2;
            if (missing < 0) {
                throw new IllegalArgumentException("Already deeper than " + depth + " frames: " + framesBelow());
            }
        }
        descend(missing, code);
    }

    private static void descend(int more, Runnable code) {
        if (more > 0) {
            descend(more - 1, code);
        } else {
            code.run();
        }
    }

    /** Counts the frames up to the caller's, those of reflection too, which a stack walker leaves out. */
    private static int framesBelow() {
        return new Throwable().getStackTrace().length - 1;
    }
}
