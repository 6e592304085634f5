package dev.meshguard.report.json;

import java.io.IOException;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Thrown when the input is not a history, or has a version that cannot be read here.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistoryFormatException extends IOException {

    private static final long serialVersionUID = 1;

    private HistoryFormatException(String message) {
        super(message);
    }

    static HistoryFormatException empty(String source) {
        return new HistoryFormatException("Cannot read " + source + ": it is empty, and a history begins with a header."
                + " Whoever should have written it did not, or was stopped before; run it again.");
    }

    static HistoryFormatException noHeader(String source, String reason) {
        return new HistoryFormatException("Cannot read " + source + ": its first line is no header of a history ("
                + reason + "). Give a file that HistoryJson.write made.");
    }

    static HistoryFormatException otherVersion(String source, long found) {
        return new HistoryFormatException("Cannot read " + source + ": it is a history of version " + found
                + ", and only version " + HistoryJson.VERSION
                + " can be read here. Read it with the MeshGuard that wrote it"
                + (found > HistoryJson.VERSION ? " or a newer one." : "."));
    }
}
