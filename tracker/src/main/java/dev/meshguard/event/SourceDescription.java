package dev.meshguard.event;

import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Describes something that reports allocations and frees to a tracker.
 *
 * <p>Immutable: each option returns another description.
 *
 * @param name a readable name, for example {@code mesh-fake}
 * @param covers the part of the events that it reports, if that is not everything
 * @param infersFrees whether it sees only from time to time what is allocated: its frees are then those of buffers that were
 *     gone, in no order, and without the code that freed them
 * @param vocabulary the words in which its users speak of its memory; empty if the memory is that of devices
 * @param unseen a sentence on the uses of memory that it does not see, and on how to let it see them; empty if there are none
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SourceDescription(
        String name,
        Optional<String> covers,
        boolean infersFrees,
        Optional<SourceVocabulary> vocabulary,
        Optional<String> unseen) {

    /** Returns the description of a source that reports each allocation and free. */
    public static SourceDescription of(String name) {
        return new SourceDescription(name, Optional.empty(), false, Optional.empty(), Optional.empty());
    }

    /**
     * Returns the description of a source that reports only a part of the events. Failure texts name this part, because reports
     * from outside it are never missing.
     *
     * @param part the part, for example {@code the arenas that the parameter Arenas opens}
     */
    public SourceDescription covering(String part) {
        return new SourceDescription(name, Optional.of(part), infersFrees, vocabulary, unseen);
    }

    /** Returns the description of a source that reports snapshots, so that nothing may be concluded from a free. */
    public SourceDescription inferringFrees() {
        return new SourceDescription(name, covers, true, vocabulary, unseen);
    }

    /** Returns the description of a source whose users speak of its memory in other words than the users of devices. */
    public SourceDescription speaking(SourceVocabulary words) {
        return new SourceDescription(name, covers, infersFrees, Optional.of(words), unseen);
    }

    /**
     * Returns the description of a source that does not see all uses of its memory. Findings without another explanation show the
     * sentence.
     */
    public SourceDescription notSeeing(String uses) {
        return new SourceDescription(name, covers, infersFrees, vocabulary, Optional.of(uses));
    }
}
