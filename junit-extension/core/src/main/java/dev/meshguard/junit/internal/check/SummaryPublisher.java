package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.RunPages;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.StoredResource;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Publishes the numbers of a run as an entry of its engine after the last check, ends the file of findings, and writes the
 * overview page.
 *
 * <p>A value of the root context's store, put there after the run's state and before the check of memory of no test. It is
 * therefore closed after that check.
 */
final class SummaryPublisher implements StoredResource {

    private final ExtensionContext root;
    private final SharedRunState run;

    /** Creates the publisher of a run; the root is the context of the engine. */
    SummaryPublisher(ExtensionContext root, SharedRunState run) {
        this.root = root;
        this.run = run;
    }

    @Override
    public void close() {
        RunPages pages = run.reporting().pages();
        List<String> notWritten = pages.finish();
        pages.overview().ifPresent(page -> run.reporting().summary().shownOn(page));
        run.summary().ifPresent(root::publishReportEntry);
        run.unjudged().ifPresent(notice -> root.publishReportEntry("meshguard", notice));
        notWritten.forEach(problem -> root.publishReportEntry("meshguard", problem));
        run.reporting()
                .findings()
                .ifPresent(file -> file.end().forEach(notice -> root.publishReportEntry("meshguard", notice)));
    }
}
