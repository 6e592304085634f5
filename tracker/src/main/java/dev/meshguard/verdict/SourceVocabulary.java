package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The words in which the users of a source speak of the end of its memory.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum SourceVocabulary {
    /** The source opens and closes meshes, as the mesh without hardware does. */
    MESH(
            "close_mesh_device",
            "Free it before close_mesh_device begins; in try-with-resources, declare the buffer after the mesh, so that it is"
                    + " closed first."),
    /** The source knows no meshes, as the log of an allocation server. */
    PROGRAM("the program ends", "Wait for the thread that frees it before the check, or free it in the test itself.");

    private final String end;
    private final String freeInTime;

    SourceVocabulary(String end, String freeInTime) {
        this.end = end;
        this.freeInTime = freeInTime;
    }

    /** Returns the moment before which memory must be freed, for a sentence: "before …". */
    String end() {
        return end;
    }

    /** Returns how to free memory in time, as a whole sentence. */
    String freeInTime() {
        return freeInTime;
    }
}
