package dev.meshguard.cli.common;

import dev.meshguard.event.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Standard output or standard error: all output of commands, in UTF-8, without characters that control a terminal.
 *
 * <p>A character that is not {@linkplain PrintableText printable} is printed as an escape, and so is a line break in a
 * single line. A document keeps its line breaks and tabs; in JSON and Java the escape means the same character.
 *
 * <p>A {@link PrintWriter} ignores exceptions. This class keeps the first one.
 */
public final class Printer extends PrintWriter {

    private final String name;
    private final Filter filter;

    /**
     * Creates a printer.
     *
     * @param stream the stream
     * @param name its name in messages
     */
    public Printer(OutputStream stream, String name) {
        this(new Filter(new OutputStreamWriter(stream, StandardCharsets.UTF_8)), name);
    }

    private Printer(Filter filter, String name) {
        super(filter);
        this.filter = filter;
        this.name = name;
    }

    @Override
    public void println(@Nullable String line) {
        super.println(PrintableText.line(String.valueOf(line)));
    }

    /** Prints why the program could not do something, as one line that names it. */
    public void problem(String message) {
        println("meshguard: " + message);
        flush();
    }

    /** Returns whether any output failed; never waits for the reader. */
    public boolean hasFailed() {
        return filter.failure.isPresent();
    }

    /** Returns why output is incomplete, if so. */
    public Optional<String> failure() {
        flush();
        return filter.failure.map(e -> name + " cannot be written: " + CommandFailures.reason(e));
    }

    /** Passes printable characters, line breaks and tabs; a line is written as soon as it is whole, or with a flush. */
    private static final class Filter extends Writer {

        /** A text between line breaks and tabs, or a carriage return without a line feed. */
        private static final Pattern TEXT = Pattern.compile("[^\r\n\t]+|\r(?!\n)");

        private final Writer out;
        private final StringBuilder waiting = new StringBuilder();
        private volatile Optional<IOException> failure = Optional.empty();

        private Filter(Writer out) {
            this.out = out;
        }

        @Override
        public void write(char[] characters, int from, int length) throws IOException {
            waiting.append(characters, from, length);
            pass(waiting.lastIndexOf("\n") + 1);
        }

        private void pass(int length) throws IOException {
            String text = waiting.substring(0, length);
            waiting.delete(0, length);
            try {
                out.write(TEXT.matcher(text)
                        .replaceAll(found -> Matcher.quoteReplacement(PrintableText.line(found.group()))));
                out.flush();
            } catch (IOException e) {
                failure = failure.or(() -> Optional.of(e));
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            pass(waiting.length());
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
