package dev.meshguard.capture.evidence;

import dev.meshguard.capture.evidence.internal.RuntimeTextNotes;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The texts about memory that the runtime printed into a log, among other lines.
 *
 * <p>The first texts are kept, and the others are counted. Immutable and safe for use by several threads.
 *
 * @param name the name of the file
 * @param texts the first texts, in their order: at most {@value #MAX_TEXTS} rejected requests, and as many others
 * @param rejections the number of all rejected requests
 * @param others the number of all other texts
 * @param damage why the log was not read to its end, if it was not
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RuntimeTexts(String name, List<RuntimeText> texts, long rejections, long others, Optional<String> damage)
        implements RuntimeEvidence {

    /** The number of texts of each sort that are kept. */
    public static final int MAX_TEXTS = 3;

    /** Creates the record with its own copy of the list. */
    public RuntimeTexts {
        texts = List.copyOf(texts);
    }

    @Override
    public List<String> notes() {
        return RuntimeTextNotes.of(this, text -> "line " + text.line(), text -> Optional.empty());
    }

    /** Returns whether the log has no such text. */
    public boolean isEmpty() {
        return rejections + others == 0;
    }
}
