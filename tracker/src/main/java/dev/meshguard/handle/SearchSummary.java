package dev.meshguard.handle;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The summary of a {@link HandleSearch}.
 *
 * @param traced how many requests had a handle to search for
 * @param withoutPath how many of them have a reachable handle without a known path
 * @param collections how many collections were requested
 * @param collectionProven whether one of them is proved to have happened; else no handle is reported as lost
 * @param objects how many objects were visited
 * @param complete whether every reachable object was visited, or every handle was found before; false if the bound was
 *     reached or something could not be read
 * @param unread the classes of which objects or fields could not be read, by name, in alphabetical order
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SearchSummary(
        int traced,
        int withoutPath,
        int collections,
        boolean collectionProven,
        int objects,
        boolean complete,
        List<String> unread) {

    /** Creates a summary with its own copy of the names. */
    public SearchSummary {
        unread = List.copyOf(unread);
    }
}
