package dev.meshguard.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the log of a server, if it has one. Guarded by the server's lock.
 *
 * <p>A log that cannot be written is reported as an error; the server continues to serve programs.
 */
final class ServerLog {

    private static final int FULL = 1 << 16;

    /** Receives whole lines, as bytes of UTF-8. */
    interface Target {
        void write(byte[] lines) throws IOException;
    }

    private final @Nullable Target target;
    private final Closeable end;
    private final String name;
    private final ServerErrors problems;

    /** The lines that are not written yet; each character is one byte, because a server logs a line for every report. */
    private final StringBuilder text;

    private Optional<String> failure = Optional.empty();

    /**
     * Creates a log.
     *
     * @param end closed after the last line
     * @param name what sentences call it
     */
    ServerLog(@Nullable Target target, Closeable end, String name, ServerErrors problems) {
        this.target = target;
        this.end = end;
        this.name = name;
        this.problems = problems;
        this.text = new StringBuilder(target == null ? 0 : FULL + 1024);
    }

    boolean isOn() {
        return target != null;
    }

    /** Returns a text with a character for each of its bytes in UTF-8. */
    static String bytesOf(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Returns the text to which a line is appended before it is {@linkplain #end ended}, {@linkplain #bytesOf as bytes}. */
    StringBuilder text() {
        return text;
    }

    void end() {
        text.append('\n');
        if (text.length() >= FULL) {
            flush();
        }
    }

    void line(String line) {
        if (isOn()) {
            text.append(bytesOf(line));
            end();
        }
    }

    void line(String format, Object... values) {
        if (isOn()) {
            line(String.format(Locale.ROOT, format, values));
        }
    }

    /** Writes the lines so far. */
    void flush() {
        write(() -> {
            if (target != null && text.length() > 0) {
                target.write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
            }
        });
        text.setLength(0);
    }

    /** Removes a line that is not ended. */
    void cut() {
        text.setLength(text.lastIndexOf("\n") + 1);
    }

    void close() {
        flush();
        write(end::close);
    }

    /** Returns why the log is incomplete, if so. */
    Optional<String> failure() {
        return failure;
    }

    private interface Writing {
        void run() throws IOException;
    }

    /** Only the first failure is reported: the others follow from it. */
    private void write(Writing writing) {
        if (failure.isPresent()) {
            return;
        }
        try {
            writing.run();
        } catch (IOException | RuntimeException e) {
            String why = name + " cannot be written, so it ends here: "
                    + (e instanceof IOException ? e.getMessage() : e.toString());
            failure = Optional.of(why);
            problems.add(why);
        }
    }
}
