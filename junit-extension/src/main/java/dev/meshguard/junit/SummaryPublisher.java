package dev.meshguard.junit;

import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.StoredResource;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Publishes the numbers of a run as an entry of its engine when the last check is over, and writes the page over all of them.
 *
 * <p>A value of the root context's store, put there after the account of the run and before the first mesh of the whole run: it is closed
 * when that mesh was checked.
 *
 * @param root the context of the engine
 * @param run whose numbers they are
 */
record SummaryPublisher(ExtensionContext root, RunState run) implements StoredResource {

    @Override
    public void close() {
        run.summary().ifPresent(root::publishReportEntry);
        run.reporting().pages().finish().ifPresent(problem -> root.publishReportEntry("meshguard", problem));
    }
}
