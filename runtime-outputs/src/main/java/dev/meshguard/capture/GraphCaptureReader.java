package dev.meshguard.capture;

import dev.meshguard.capture.internal.GraphParser;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reads graph captures, with more options than {@link GraphCapture#read(Path)}.
 *
 * <pre>{@code
 * GraphCapture capture = GraphCaptureReader.create().judgedAtEnd().read(file);
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads; each capture is read once, node by node, by the calling thread.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class GraphCaptureReader {

    private final InstantSource clock;
    private final boolean judgesEnd;

    private GraphCaptureReader(InstantSource clock, boolean judgesEnd) {
        this.clock = clock;
        this.judgesEnd = judgesEnd;
    }

    /** Returns a reader of captures that end while the device is open. */
    public static GraphCaptureReader create() {
        return new GraphCaptureReader(InstantSource.system(), false);
    }

    /**
     * Returns this reader for captures at whose end all memory should be free, except expected buffers.
     *
     * <p>A buffer that remains has then leaked. Use it if the captured code must leave no buffer behind, and list its
     * weights and caches as expected.
     */
    public GraphCaptureReader judgedAtEnd() {
        return new GraphCaptureReader(clock, true);
    }

    /**
     * Returns this reader with another clock for the day of the check, on which expired expectations depend.
     */
    public GraphCaptureReader clock(InstantSource newClock) {
        return new GraphCaptureReader(newClock, judgesEnd);
    }

    /**
     * Reads a capture, plain or compressed with gzip or zstd; the file may be a pipe.
     *
     * @throws IOException if the file cannot be read or is no graph capture; the message says what it is instead
     */
    public GraphCapture read(Path file) throws IOException {
        // A channel queries the position of a pipe, which has none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        try (InputStream capture = isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file)) {
            return read(capture, file.toString());
        }
    }

    /**
     * Reads a capture, plain or compressed with gzip or zstd, to its end; the stream stays open.
     *
     * @param name the name of the capture in messages
     * @throws IOException as {@link #read(Path)} does
     */
    public GraphCapture read(InputStream capture, String name) throws IOException {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return new GraphCapture(name, GraphParser.parse(capture, today, judgesEnd));
    }
}
