package dev.meshguard.server.client;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a client could not hand over.
 *
 * @param reports how many messages it did not send, or sent in part
 * @param disconnections how often the server went away; what it had not read by then is lost too, and nobody can count it
 * @param reason what happened last, as a whole sentence without the full stop; empty if nothing is lost
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record UnsentReports(long reports, long disconnections, Optional<String> reason) {

    /** Returns whether everything was handed over, as far as a client can know. */
    public boolean isNothing() {
        return reports == 0 && disconnections == 0;
    }
}
