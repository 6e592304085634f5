package dev.meshguard.server;

import dev.meshguard.server.books.internal.LineBuffer;
import java.io.IOException;

/**
 * A server's log while it runs; guarded by the server's lock.
 *
 * <p>A log that cannot be written is a problem that is told, and no reason to leave programs without a server.
 */
final class ServerLog implements LineBuffer.Target {

    private final LogTarget.Open target;
    private final Problems problems;
    private boolean isBroken;

    ServerLog(LogTarget.Open target, Problems problems) {
        this.target = target;
        this.problems = problems;
    }

    @Override
    public void take(byte[] bytes, int length) {
        if (isBroken) {
            return;
        }
        try {
            target.take(bytes, length);
        } catch (IOException e) {
            broken(e);
        }
    }

    void close() {
        try {
            target.close();
        } catch (IOException e) {
            broken(e);
        }
    }

    private void broken(IOException why) {
        isBroken = true;
        problems.add("the log cannot be written, so it ends here: " + why.getMessage());
    }
}
