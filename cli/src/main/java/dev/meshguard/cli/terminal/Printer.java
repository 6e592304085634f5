package dev.meshguard.cli.terminal;

import dev.meshguard.text.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Standard output or standard error: all output of commands, in UTF-8, without characters that control a terminal.
 *
 * <p>A character that is not {@linkplain PrintableText printable} is printed as an escape, and so is a line break in a
 * single line. A text keeps its line breaks and tabs. JSON is written as characters: its writer has escaped them.
 *
 * <p>A {@link PrintWriter} ignores exceptions. This class keeps the first one. A line is written as soon as it is whole.
 */
public final class Printer extends PrintWriter {

    /** A text between line breaks and tabs, or a carriage return without a line feed. */
    private static final Pattern TEXT = Pattern.compile("[^\r\n\t]+|\r(?!\n)");

    private final String name;
    private volatile Optional<String> failure = Optional.empty();

    /**
     * Creates a printer.
     *
     * @param stream the stream
     * @param name its name in messages
     */
    public Printer(OutputStream stream, String name) {
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        this.name = name;
    }

    @Override
    public void println(@Nullable String line) {
        write(PrintableText.line(String.valueOf(line)) + System.lineSeparator());
    }

    /** Prints why the program could not do something, as one line that names it. */
    public void problem(String message) {
        println("meshguard: " + message);
    }

    @Override
    public void write(String text, int from, int length) {
        String part = text.substring(from, from + length);
        String printable =
                TEXT.matcher(part).replaceAll(found -> Matcher.quoteReplacement(PrintableText.line(found.group())));
        write(printable.toCharArray(), 0, printable.length());
        if (part.endsWith("\n")) {
            flush();
        }
    }

    @Override
    public void write(char[] characters, int from, int length) {
        keepingFailure(() -> out.write(characters, from, length));
    }

    @Override
    public void flush() {
        keepingFailure(out::flush);
    }

    private void keepingFailure(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            failure = failure.or(() -> Optional.of(name + " cannot be written: " + UsageException.reason(e)));
        }
    }

    private interface Writing {
        void run() throws IOException;
    }

    /** Returns why the output so far is incomplete, if so; never waits for the reader. */
    public Optional<String> failure() {
        return failure;
    }
}
