package dev.meshguard.handle;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The summary of a {@link HandleSearch}.
 *
 * @param withoutPath how many requests have a reachable handle without a known path
 * @param unread the classes of which objects or fields could not be read, by name, in alphabetical order
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SearchSummary(int withoutPath, List<String> unread) {

    /** Creates a summary with its own copy of the names. */
    public SearchSummary {
        unread = List.copyOf(unread);
    }
}
