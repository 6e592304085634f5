package dev.meshguard.capture;

import dev.meshguard.capture.evidence.internal.FileContent;
import dev.meshguard.capture.internal.GraphParser;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The format of a file that the runtime wrote.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum OutputFormat {

    /** The JSON of {@code ttnn.graph}: an array of nodes, or a report with one. */
    GRAPH_CAPTURE("graph capture", "node"),

    /** The SQLite database {@code db.sqlite} that ttnn writes for the ttnn-visualizer. */
    REPORT_DATABASE("report database", "operation");

    private static final String DATABASE = "SQLite format 3\0";

    private final String text;
    private final String record;

    OutputFormat(String text, String record) {
        this.text = text;
        this.record = record;
    }

    /**
     * Returns the format of a file, complete or damaged, as far as its first bytes show; empty if it is none of these.
     *
     * @param file the file, plain or compressed, as a stream that supports marks; it is at its beginning again afterwards
     */
    public static Optional<OutputFormat> of(InputStream file) throws IOException {
        FileContent beginning = FileContent.beginning(file);
        if (GraphParser.isGraphCapture(beginning.bytes())) {
            return Optional.of(GRAPH_CAPTURE);
        }
        return beginning.text().startsWith(DATABASE) ? Optional.of(REPORT_DATABASE) : Optional.empty();
    }

    /** Returns the name of the format, for a text. */
    public String text() {
        return text;
    }

    /** Returns the word for one of {@link RuntimeOutput#records()}, for a text. */
    public String record() {
        return record;
    }
}
