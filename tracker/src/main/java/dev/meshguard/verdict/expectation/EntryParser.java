package dev.meshguard.verdict.expectation;

import dev.meshguard.event.BufferType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parses one line of a file of expected buffers. */
final class EntryParser {

    private static final String CLAUSES =
            "device, devices, size, count, owner, label, origin, overwritten, until, because";
    private static final String BOUNDS = "exactly 8, atMost 8, atLeast 2, between 2-8";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,19})-(\\d{1,19})");
    /** The placeholder for a reason in failure texts; it is no reason if it is pasted. */
    private static final String PLACEHOLDER = "…";

    private final SourceLine source;
    private final String line;
    private final List<Token> tokens;
    private final Set<String> seen = new HashSet<>();
    private int next;
    private Expectation entry = Expectation.because(PLACEHOLDER);
    private Optional<String> because = Optional.empty();

    private EntryParser(SourceLine source, String line) {
        this.source = source;
        this.line = line;
        this.tokens = Token.of(line, this::rejected);
    }

    /** Returns the entry of a line; empty if it holds only a comment. */
    static Optional<Expectation> parse(String line, SourceLine source) {
        EntryParser parser = new EntryParser(source, line);
        return parser.tokens.isEmpty() ? Optional.empty() : Optional.of(parser.entry());
    }

    private Expectation entry() {
        while (next < tokens.size()) {
            clause();
        }
        String reason = because.orElseThrow(() -> rejected(
                line.length() + 1, "the reason is missing. At the end of an entry stands why: because \"…\"."));
        return entry.withReason(reason).writtenAt(source).forSeveralChecks();
    }

    private void clause() {
        Token name = tokens.get(next++);
        Optional<BufferType> type = name.isQuoted() ? Optional.empty() : type(name.text());
        if (type.isPresent()) {
            rejectTwice(name, "type");
            entry = entry.type(type.get());
            return;
        }
        rejectTwice(name, name.text().equals("devices") ? "device" : name.text());
        switch (name.isQuoted() ? "" : name.text()) {
            case "device", "devices" ->
                entry = read(
                        "ids of devices, for example 3 or 0-3,5",
                        value -> entry.devices(DeviceSet.parse(value.text())));
            case "size" -> entry = read("a size in bytes, for example 1048576", value -> entry.size(number(value)));
            case "count" -> entry = count();
            case "owner" -> entry = read("a part of the owner's name", value -> entry.owner(value.text()));
            case "label" -> entry = read("a label", value -> entry.label(value.text()));
            case "origin" -> entry = read("a class, method or package", value -> entry.origin(value.text()));
            case "overwritten" -> entry = entry.overwritten();
            case "until" -> entry = read("a date, for example 2026-12-31", value -> entry.until(value.text()));
            case "because" -> because = Optional.of(read("the reason", this::reason));
            default ->
                throw rejected(
                        name.column(),
                        String.format(
                                Locale.ROOT,
                                "%s is no clause. Here may stand a type (%s), %s.",
                                quoted(name),
                                types(),
                                CLAUSES));
        }
    }

    private Expectation count() {
        String how = read("a bound: " + BOUNDS, Token::text);
        int column = tokens.get(next - 1).column();
        return switch (how) {
            case "exactly" -> read("a number", value -> entry.exactly(number(value)));
            case "atMost" -> read("a number", value -> entry.atMost(number(value)));
            case "atLeast" -> read("a number", value -> entry.atLeast(number(value)));
            case "between" ->
                read("two numbers, for example 2-8", value -> {
                    Matcher range = RANGE.matcher(value.text());
                    if (!range.matches()) {
                        throw new IllegalArgumentException(
                                "Between stand two numbers, for example 2-8: " + quoted(value) + " was given.");
                    }
                    return entry.between(number(range.group(1)), number(range.group(2)));
                });
            default ->
                throw rejected(
                        column, String.format(Locale.ROOT, "\"%s\" is no bound. Here may stand %s.", how, BOUNDS));
        };
    }

    private String reason(Token value) {
        if (value.text().equals(PLACEHOLDER)) {
            throw new IllegalArgumentException("Say instead of \"…\" why the buffers are expected.");
        }
        return Expectation.because(value.text()).because();
    }

    private static long number(Token value) {
        return number(value.text());
    }

    private static long number(String text) {
        try {
            if (NUMBER.matcher(text).matches()) {
                return Long.parseLong(text);
            }
        } catch (NumberFormatException tooLarge) {
            // Reported below, as for any other text that is no number.
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "A number from 0 to %d without unit stands here: \"%s\" was given.",
                Long.MAX_VALUE,
                text));
    }

    /** Reads the next token; the message of an error names its position. */
    private <T> T read(String what, Function<Token, T> reading) {
        if (next == tokens.size()) {
            throw rejected(line.length() + 1, "the line ends where " + what + " has to stand.");
        }
        Token value = tokens.get(next++);
        try {
            return reading.apply(value);
        } catch (IllegalArgumentException refusal) {
            throw rejected(value.column(), String.valueOf(refusal.getMessage()));
        }
    }

    private void rejectTwice(Token name, String clause) {
        if (!seen.add(clause)) {
            throw rejected(
                    name.column(),
                    String.format(
                            Locale.ROOT,
                            "a second %s. Each clause stands at most once; write an entry for each.",
                            clause));
        }
    }

    private IllegalArgumentException rejected(int column, String message) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "%s:%d:%d: %s", source.file(), source.line(), column, message));
    }

    private static String quoted(Token token) {
        return '"' + token.text() + '"';
    }

    private static Optional<BufferType> type(String name) {
        return Arrays.stream(BufferType.values())
                .filter(type -> type.name().equals(name))
                .findFirst();
    }

    private static String types() {
        return Arrays.stream(BufferType.values()).map(Enum::name).collect(Collectors.joining(", "));
    }
}
