package dev.meshguard.tracker.handle;

import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How a {@link HandleSearch} went.
 *
 * @param traced of how many requests it was looked for a handle
 * @param withoutPath of how many of them the handle is there and nobody knows what holds it
 * @param collections how many collections were asked for
 * @param collectionProven whether one of them is known to have happened; else no handle is called lost
 * @param objects how many objects were looked into
 * @param complete whether everything was looked into that can be reached, or everything was found before that; not so once the
 *     bound was hit or something could not be read
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
