package dev.meshguard.verdict.expectation;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses one line of a file of expected buffers. */
final class EntryParser {

    private static final List<String> TYPES =
            Arrays.stream(BufferType.values()).map(BufferType::name).toList();
    private static final String CLAUSES =
            "device, devices, size, count, owner, label, origin, overwritten, until, because";
    private static final String BOUNDS = "exactly 8, atMost 8, atLeast 2, between 2-8";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,19})-(\\d{1,19})");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([\"\\\\nrt])|u(\\p{XDigit}{4}))");

    /** A quoted text up to its closing quote, or to what cannot be part of it; or a word. */
    private static final Pattern TOKEN =
            Pattern.compile("\"(?<quoted>(?:[^\"\\\\]++|" + ESCAPE + ")*+)(?<end>\")?|[^\"\\p{javaWhitespace}]+");

    /** The placeholder for a reason in failure texts; it is no reason if it is pasted. */
    private static final String PLACEHOLDER = "…";

    /**
     * A word or a quoted text of a line.
     *
     * @param text its content, without quotes and escapes
     * @param column its first column, from 1
     * @param isQuoted whether it was quoted
     */
    private record Token(String text, int column, boolean isQuoted) {}

    private final SourceLine source;
    private final String line;
    private final List<Token> tokens;
    private final Set<String> seen = new HashSet<>();
    private int next;
    private Expectation entry = Expectation.because(PLACEHOLDER);

    private EntryParser(SourceLine source, String line) {
        this.source = source;
        this.line = line;
        this.tokens = tokens();
    }

    /** Returns the entry of a line; empty if it holds only a comment. */
    static Optional<Expectation> parse(String line, SourceLine source) {
        EntryParser parser = new EntryParser(source, line);
        return parser.tokens.isEmpty() ? Optional.empty() : Optional.of(parser.entry());
    }

    /** Returns the tokens of the line, without its comment. */
    private List<Token> tokens() {
        List<Token> found = new ArrayList<>();
        Matcher token = TOKEN.matcher(line);
        int at = 0;
        while (at < line.length() && line.charAt(at) != '#') {
            if (!token.region(at, line.length()).lookingAt()) {
                at++;
                continue;
            }
            String quoted = token.group("quoted");
            if (quoted == null) {
                found.add(new Token(token.group(), at + 1, false));
            } else if (token.group("end") == null) {
                throw malformed(at, token.end());
            } else {
                found.add(new Token(ESCAPE.matcher(quoted).replaceAll(EntryParser::unescaped), at + 1, true));
            }
            at = token.end();
        }
        return found;
    }

    private static String unescaped(MatchResult escape) {
        if (escape.group(1) == null) {
            return Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(2), 16)));
        }
        return switch (escape.group(1)) {
            case "n" -> "\n";
            case "r" -> "\r";
            case "t" -> "\t";
            default -> Matcher.quoteReplacement(escape.group(1));
        };
    }

    private IllegalArgumentException malformed(int start, int end) {
        if (end == line.length()) {
            return rejected(start + 1, "this quoted text has no end: a \" is missing.");
        }
        return rejected(
                end + 1,
                line.startsWith("\\u", end)
                        ? "after \\u stand four hexadecimal digits."
                        : "after a \\ may stand \", \\, n, r, t, or u with four hexadecimal digits.");
    }

    private Expectation entry() {
        while (next < tokens.size()) {
            entry = withClause(tokens.get(next++));
        }
        if (!seen.contains("because")) {
            throw rejected(
                    line.length() + 1, "the reason is missing. At the end of an entry stands why: because \"…\".");
        }
        return entry.writtenAt(source).forSeveralChecks();
    }

    private Expectation withClause(Token name) {
        String word = name.isQuoted() ? "" : name.text();
        boolean isType = TYPES.contains(word);
        String clause = isType ? "type" : word.equals("devices") ? "device" : name.text();
        if (!seen.add(clause)) {
            throw rejected(
                    name.column(),
                    "a second " + clause + ". Each clause stands at most once; write an entry for each.");
        }
        if (isType) {
            return entry.type(BufferType.valueOf(word));
        }
        return switch (word) {
            case "device", "devices" ->
                read("ids of devices, for example 3 or 0-3,5", value -> entry.devices(DeviceSet.parse(value)));
            case "size" -> read("a size in bytes, for example 1048576", value -> entry.size(number(value)));
            case "count" -> count();
            case "owner" -> read("a part of the owner's name", entry::owner);
            case "label" -> read("a label", entry::label);
            case "origin" -> read("a class, method or package", entry::origin);
            case "overwritten" -> entry.overwritten();
            case "until" -> read("a date, for example 2026-12-31", entry::until);
            case "because" -> read("the reason", this::withReason);
            default ->
                throw rejected(
                        name.column(),
                        InvariantText.of(
                                "\"%s\" is no clause. Here may stand a type (%s), %s.",
                                name.text(), String.join(", ", TYPES), CLAUSES));
        };
    }

    private Expectation count() {
        int column = next < tokens.size() ? tokens.get(next).column() : 0;
        String how = read("a bound: " + BOUNDS, word -> word);
        return switch (how) {
            case "exactly" -> read("a number", value -> entry.exactly(number(value)));
            case "atMost" -> read("a number", value -> entry.atMost(number(value)));
            case "atLeast" -> read("a number", value -> entry.atLeast(number(value)));
            case "between" -> read("two numbers, for example 2-8", this::between);
            default -> throw rejected(column, InvariantText.of("\"%s\" is no bound. Here may stand %s.", how, BOUNDS));
        };
    }

    private Expectation between(String value) {
        Matcher range = RANGE.matcher(value);
        if (!range.matches()) {
            throw new IllegalArgumentException(
                    "Between stand two numbers, for example 2-8: \"" + value + "\" was given.");
        }
        return entry.between(number(range.group(1)), number(range.group(2)));
    }

    private Expectation withReason(String reason) {
        if (reason.equals(PLACEHOLDER)) {
            throw new IllegalArgumentException("Say instead of \"…\" why the buffers are expected.");
        }
        return entry.withReason(reason);
    }

    private static long number(String text) {
        if (NUMBER.matcher(text).matches() && new BigInteger(text).bitLength() < Long.SIZE) {
            return Long.parseLong(text);
        }
        throw new IllegalArgumentException(InvariantText.of(
                "A number from 0 to %d without unit stands here: \"%s\" was given.", Long.MAX_VALUE, text));
    }

    /** Reads the next token; the message of an error names its position. */
    private <T> T read(String what, Function<String, T> reader) {
        if (next == tokens.size()) {
            throw rejected(line.length() + 1, "the line ends where " + what + " has to stand.");
        }
        Token value = tokens.get(next++);
        try {
            return reader.apply(value.text());
        } catch (IllegalArgumentException invalid) {
            throw rejected(value.column(), String.valueOf(invalid.getMessage()));
        }
    }

    private IllegalArgumentException rejected(int column, String message) {
        return new IllegalArgumentException(
                InvariantText.of("%s:%d:%d: %s", source.file(), source.line(), column, message));
    }
}
