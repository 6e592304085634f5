package dev.meshguard.server.client;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The reports that a client could not send.
 *
 * @param reports the number of messages that were not sent, or only in part
 * @param disconnections the number of times the server disconnected; data that it had not read is lost too and cannot
 *     be counted
 * @param reason the last error, as a whole sentence without the full stop; empty if nothing is lost
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record UnsentReports(long reports, long disconnections, Optional<String> reason) {

    /** Returns whether everything was sent, as far as a client can know. */
    public boolean isEmpty() {
        return reports == 0 && disconnections == 0;
    }
}
