package dev.meshguard.server;

import dev.meshguard.server.ledger.internal.LogLineBuffer;
import java.io.IOException;
import java.util.Optional;

/**
 * A running server's log; guarded by the server's lock.
 *
 * <p>A log that cannot be written is reported as an error; the server continues to serve programs.
 */
final class ServerLog implements LogLineBuffer.Target {

    private final LogTarget.Open target;
    private final ServerErrors problems;
    private Optional<String> failure = Optional.empty();

    ServerLog(LogTarget.Open target, ServerErrors problems) {
        this.target = target;
        this.problems = problems;
    }

    @Override
    public void take(byte[] bytes, int length) {
        if (failure.isPresent()) {
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

    /** Returns why the log is incomplete, if so. */
    Optional<String> failure() {
        return failure;
    }

    /** Only the first failure is reported: the others follow from it. */
    private void broken(IOException why) {
        if (failure.isEmpty()) {
            String sentence = target.description() + " cannot be written, so it ends here: " + why.getMessage();
            failure = Optional.of(sentence);
            problems.add(sentence);
        }
    }
}
