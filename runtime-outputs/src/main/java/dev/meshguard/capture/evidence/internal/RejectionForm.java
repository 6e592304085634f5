package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.event.BufferType;
import dev.meshguard.text.Quantities;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The forms of text in which the runtime rejects a request for memory: those of {@code bank_manager.cpp}, {@code free_list_opt.cpp},
 * {@code program.cpp} and {@code mesh_trace.cpp}.
 *
 * <p>In a form, a blank stands for any blanks, {@code #} for a size, {@code &} for an address, and {@code @} for a range of cores;
 * the braces of a text that was not filled may stand for each. What only some versions have is optional. The figures of a form
 * name its sizes, addresses and groups by their numbers, beginning with the first. A part in brackets is left out if the
 * text has no figure of its number.
 */
enum RejectionForm {
    NO_SPACE(
            "",
            "Out of Memory: Not enough space(?: [a-z]+){0,8}? to allocate # B (\\w+|\\{})(?: buffer)? across (\\d+|\\{}) banks"
                    + "(?:,? where each bank needs to store # B| \\(# B per bank\\))?"
                    + "(?:,(?: but)? bank size is(?: only)? # B"
                    + "(?: \\(allocated: # B, free: # B, largest free block: # B\\))?)?",
            "$1 of $2 across $3 banks[, $4 in each][, $5 in each][; a bank has $6][, of which $8 were free]"
                    + "[, at most $9 in one piece]"),
    BELOW_LIMIT(
            "full or fragmented",
            "Out of Memory: Cannot allocate at an address below &\\. Allocation at &",
            "its place would be $2, and it may not lie below $1"),
    CLASH(
            "occupied",
            "Statically allocated (circular|dataflow) buffers(?: in program \\S+)? clash with L1 buffers(?: on core range @)?\\."
                    + " L1 buffer allocated at & and static \\w+ buffer region ends at &",
            "$1 buffers up to $3, and an L1 buffer lies at $2"),
    BEYOND_L1(
            "too small",
            "Statically allocated (circular|dataflow) buffers(?: in program \\S+)?(?: on core range @)? grow to # B"
                    + " which is beyond max L1 size of # B",
            "$1 buffers up to $2, and L1 has $3"),
    BEYOND_BUFFER(
            "too small",
            "Cannot set to globally allocated buffer\\. Circular buffer size # B exceeds allocated L1 buffer bank size of # B",
            "a circular buffer of $1, and its L1 buffer has $2 in each bank"),
    BEYOND_MOST(
            "too small",
            "(?:Shrink|Worker L1) size # (?:must be smaller|is larger) than max size #",
            "$1 of L1, and at most $2 can be had"),
    SHRINKING(
            "occupied", "Shrink size # cuts into allocated block at address &", "the first $1, and a block lies at $2"),
    TRACE_REGION(
            "too small",
            "(?=get_trace_|Creating )(?:get_trace_buffers_size\\(\\) <= trace_region_size(?: info:)?(?: (?=Creating ))?)?"
                    + "(?:Creating trace buffers of(?: total)? size #\\s*B.{0,80}? on \\w+ [\\w{}]+,"
                    + " but only #\\s*B.{0,80}? trace region)?",
            "the traces need more than the trace_region_size permits[: $1 in total over all banks, of $2]"),
    TRACE_OVERLAP(
            "occupied",
            "Trace buffer at address & overlaps with (DRAM activity during trace capture|buffers deallocated during trace capture"
                    + "|buffers allocated during trace capture|allocations made during trace"
                    + "|DRAM activity captured by another live trace)"
                    + "(?:\\.?(?: \\(?[A-Za-z]+){0,4}? \\(?high water mark: &(?:, Deletion high water mark: &)?)?",
            "its trace would lie at $1, where there were $2");

    private static final String NO_FIGURES = "its figures cannot be read";

    private final String conclusion;
    private final Pattern text;

    @SuppressWarnings("ImmutableEnumChecker") // Unmodifiable.
    private final List<String> groups;

    private final String figures;

    RejectionForm(String conclusion, String text, String figures) {
        this.conclusion = conclusion;
        this.text = Pattern.compile(text.replace(" ", "\\s+")
                .replaceAll("[#&]", "(\\\\d+|\\\\{})")
                .replace("@", "(?:\\[[^\\]]{1,100}]|\\{[^}]{0,100}})"));
        this.groups = Pattern.compile("[#&]|(?<!\\\\)\\((?!\\?)")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
        this.figures = figures;
    }

    /**
     * Returns whether a text is one of these forms, or begins one, beyond its first characters.
     *
     * @param known the number of characters that are one already
     */
    static boolean isLongerThan(int known, String text) {
        return Arrays.stream(values()).map(form -> form.text.matcher(text)).anyMatch(form -> {
            boolean isWhole = form.lookingAt();
            return form.hitEnd() || (isWhole && form.end() > known);
        });
    }

    /** Returns what a text says; its figures may be missing. */
    static RuntimeText read(String text, long line) {
        for (RejectionForm form : values()) {
            Matcher matcher = form.text.matcher(text);
            if (matcher.lookingAt()) {
                return form.read(matcher, line);
            }
        }
        return new RuntimeText(line, NO_FIGURES, Optional.empty());
    }

    private RuntimeText read(Matcher matcher, long line) {
        try {
            String why = this == NO_SPACE ? shortage(matcher) : conclusion;
            return new RuntimeText(line, (why.isEmpty() ? "" : why + ": ") + figures(matcher), held(matcher));
        } catch (NumberFormatException unfilled) { // Or more digits than a size has.
            return new RuntimeText(
                    line, (conclusion.isEmpty() ? "" : conclusion + ": ") + NO_FIGURES, Optional.empty());
        }
    }

    private String figures(Matcher matcher) {
        String result = figures;
        for (int group = 1; group <= groups.size(); group++) {
            String value = matcher.group(group);
            if (value == null) {
                result = result.replaceAll("\\[[^\\[]*\\$" + group + "[^\\[]*?]", "");
            } else if (result.contains("$" + group)) {
                result = result.replace("$" + group, shown(groups.get(group - 1), value));
            }
        }
        return result.replaceAll("[\\[\\]]", "");
    }

    private static String shown(String kind, String value) {
        return switch (kind) {
            case "#" -> Quantities.size(Long.parseLong(value));
            case "&" -> Quantities.address(Long.parseLong(value));
            default -> value.replace("DRAM activity", "allocations or frees of DRAM");
        };
    }

    /** Returns the memory whose buffers are the reason; the addresses above a trace are in use up to the highest mark. */
    private Optional<AddressRange> held(Matcher matcher) {
        return switch (this) {
            case NO_SPACE ->
                Arrays.stream(BufferType.values())
                        .filter(type -> type.name().equals(matcher.group(2)))
                        .findFirst()
                        .map(AddressRange::all);
            case CLASH -> range(BufferType.L1, number(matcher, 2, 0), number(matcher, 3, 0));
            case TRACE_REGION -> Optional.of(AddressRange.all(BufferType.TRACE));
            case TRACE_OVERLAP ->
                range(BufferType.DRAM, number(matcher, 1, 0), Math.max(number(matcher, 3, 0), number(matcher, 4, 0)));
            default -> Optional.empty();
        };
    }

    private static Optional<AddressRange> range(BufferType type, long from, long to) {
        return Optional.of(new AddressRange(type, from, to)).filter(range -> from < to);
    }

    private static long number(Matcher matcher, int group, long otherwise) {
        String digits = matcher.group(group);
        return digits == null ? otherwise : Long.parseLong(digits);
    }

    /** Returns why there is no room, in the words of {@link dev.meshguard.event.shortage.MemoryShortage}, as far as it is known. */
    private static String shortage(Matcher matcher) {
        long needed = number(matcher, matcher.group(4) == null ? 5 : 4, 0);
        if (needed > number(matcher, 6, Long.MAX_VALUE)) {
            return "too small";
        }
        if (needed > number(matcher, 8, Long.MAX_VALUE)) {
            return "full";
        }
        if (needed > number(matcher, 9, Long.MAX_VALUE)) {
            return "fragmented";
        }
        boolean knowsBank = matcher.group(6) != null;
        boolean knowsFree = matcher.group(8) != null;
        return knowsFree ? "" : knowsBank ? "full or fragmented" : "too small, full or fragmented";
    }
}
