package dev.meshguard.cli.common;

import dev.meshguard.event.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Standard output or standard error: all output of commands, in UTF-8, without characters that control a terminal.
 *
 * <p>A character that is not {@linkplain PrintableText printable} is printed as an escape, and so is a line break in a
 * single line. A document keeps its line breaks and tabs; in JSON and Java the escape means the same character.
 *
 * <p>A {@link PrintWriter} ignores exceptions. This class keeps the first one.
 */
public final class Printer extends PrintWriter {

    /** The name of standard output in messages. */
    public static final String STANDARD_OUTPUT = "standard output";

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

    /** Returns the output of a command that picocli created. */
    public static Printer of(CommandSpec command) {
        PrintWriter out = command.commandLine().getOut();
        return out instanceof Printer printer ? printer : new Printer(new Filter(out), STANDARD_OUTPUT);
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

    @Override
    public void println(@Nullable Object line) {
        println(String.valueOf(line));
    }

    /**
     * Prints a control sequence for a terminal: a colour or a cursor position. It must not contain any text from
     * outside.
     */
    public void control(String sequence) {
        flush();
        filter.pass(sequence);
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

    /** Passes printable characters, line breaks and tabs. */
    private static final class Filter extends Writer {

        private static final char NOTHING = 0;

        private final Writer out;
        private volatile Optional<IOException> failure = Optional.empty();

        /** A character that depends on the next one: the first half of a pair, or a carriage return. */
        private char waiting = NOTHING;

        private Filter(Writer out) {
            this.out = out;
        }

        @Override
        public void write(char[] characters, int from, int length) throws IOException {
            StringBuilder safe = new StringBuilder(length);
            for (int at = from; at < from + length; at++) {
                append(safe, characters[at]);
            }
            try {
                out.append(safe);
            } catch (IOException e) {
                throw failed(e);
            }
        }

        private void append(StringBuilder safe, char next) {
            char before = waiting;
            waiting = NOTHING;
            if (before == '\r') {
                safe.append(next == '\n' ? "\r" : PrintableText.escape(before));
            } else if (before != NOTHING) {
                boolean isPair = Character.isLowSurrogate(next);
                if (isPair && PrintableText.isPrintable(Character.toCodePoint(before, next))) {
                    safe.append(before).append(next);
                    return;
                }
                safe.append(PrintableText.escape(before));
            }
            if (next == '\r' || Character.isHighSurrogate(next)) {
                waiting = next;
            } else if (next == '\n' || next == '\t' || PrintableText.isPrintable(next)) {
                safe.append(next);
            } else {
                safe.append(PrintableText.escape(next));
            }
        }

        private void pass(String sequence) {
            try {
                out.append(sequence).flush();
            } catch (IOException e) {
                failed(e);
            }
        }

        private IOException failed(IOException e) {
            failure = failure.or(() -> Optional.of(e));
            return e;
        }

        @Override
        public void flush() throws IOException {
            try {
                out.flush();
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
