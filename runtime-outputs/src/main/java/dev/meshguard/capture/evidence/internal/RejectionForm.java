package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The forms of text in which the runtime rejects a request for memory: those of {@code bank_manager.cpp}, {@code free_list_opt.cpp},
 * {@code program.cpp} and {@code mesh_trace.cpp}.
 *
 * <p>A blank stands for any blanks, {@code #} for a number, and {@code @} for a range of cores; braces may stand for both that were
 * not filled. What only some versions have is optional.
 */
enum RejectionForm {
    NO_SPACE(
            "",
            "Out of Memory: Not enough space(?: [a-z]+){0,8}? to allocate # B (\\w+|\\{})(?: buffer)? across # banks"
                    + "(?:,? where each bank needs to store # B| \\(# B per bank\\))?"
                    + "(?:,(?: but)? bank size is(?: only)? # B"
                    + "(?: \\(allocated: # B, free: # B, largest free block: # B\\))?)?"),
    BELOW_LIMIT("full or fragmented", "Out of Memory: Cannot allocate at an address below #\\. Allocation at #"),
    CLASH(
            "occupied",
            "Statically allocated (circular|dataflow) buffers(?: in program \\S+)? clash with L1 buffers(?: on core range @)?\\."
                    + " L1 buffer allocated at # and static \\w+ buffer region ends at #"),
    BEYOND_L1(
            "too small",
            "Statically allocated (circular|dataflow) buffers(?: in program \\S+)?(?: on core range @)? grow to # B"
                    + " which is beyond max L1 size of # B"),
    BEYOND_BUFFER(
            "too small",
            "Cannot set to globally allocated buffer\\. Circular buffer size # B exceeds allocated L1 buffer bank size of # B"),
    TRACE_REGION(
            "too small",
            "Creating trace buffers of size #\\s*B on \\w+ [\\w{}]+, but only #\\s*B is allocated for trace region"),
    TRACE_OVERLAP(
            "occupied",
            "Trace buffer at address # overlaps with (DRAM activity during trace capture|buffers deallocated during trace capture"
                    + "|buffers allocated during trace capture|DRAM activity captured by another live trace)"
                    + "(?:\\.?(?: \\(?[A-Za-z]+){1,4}? high water mark: #(?:, Deletion high water mark: #)?)?");

    private static final Pattern PER_BANK =
            Pattern.compile("each\\s+bank\\s+needs\\s+to\\s+store\\s+(\\d+)|\\((\\d+)\\s+B\\s+per\\s+bank\\)");
    private static final Pattern BANK_SIZE = Pattern.compile("bank\\s+size\\s+is\\s+(?:only\\s+)?(\\d+)");
    private static final Pattern FREE = Pattern.compile("\\bfree:\\s+(\\d+)");
    private static final Pattern LARGEST_FREE = Pattern.compile("largest\\s+free\\s+block:\\s+(\\d+)");
    private static final Pattern MARK = Pattern.compile("high\\s+water\\s+mark:\\s+(\\d+)");

    private final String conclusion;
    private final Pattern text;

    RejectionForm(String conclusion, String text) {
        this.conclusion = conclusion;
        this.text = Pattern.compile(text.replace(" ", "\\s+")
                .replace("#", "(\\d+|\\{})")
                .replace("@", "(?:\\[[^\\]]{1,100}]|\\{[^}]{0,100}})"));
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
            Matcher figures = form.text.matcher(text);
            if (figures.lookingAt()) {
                try {
                    return form.read(figures, line);
                } catch (NumberFormatException unfilled) { // Or more digits than a size has.
                    return form.rejection(line, "its figures cannot be read", Optional.empty());
                }
            }
        }
        return RuntimeText.rejection(line, "its figures cannot be read", Optional.empty());
    }

    private RuntimeText read(Matcher text, long line) {
        return switch (this) {
            case NO_SPACE ->
                RuntimeText.rejection(line, noSpace(text), type(text.group(2)).map(AddressRange::all));
            case BELOW_LIMIT -> // It names no memory, so no buffers either.
                rejection(
                        line,
                        "its place would be " + Quantities.address(number(text, 2)) + ", and it may not lie below "
                                + Quantities.address(number(text, 1)),
                        Optional.empty());
            case CLASH ->
                rejection(
                        line,
                        text.group(1) + " buffers up to " + Quantities.address(number(text, 3))
                                + ", and an L1 buffer lies at " + Quantities.address(number(text, 2)),
                        Optional.of(new AddressRange(BufferType.L1, number(text, 2), number(text, 3))));
            case BEYOND_L1 ->
                rejection(
                        line,
                        text.group(1) + " buffers up to " + size(text, 2) + ", and L1 has " + size(text, 3),
                        Optional.empty());
            case BEYOND_BUFFER ->
                rejection(
                        line,
                        "a circular buffer of " + size(text, 1) + ", and its L1 buffer has " + size(text, 2)
                                + " in each bank",
                        Optional.empty());
            case TRACE_REGION ->
                rejection(
                        line,
                        "trace buffers of " + size(text, 1) + ", and the trace region has " + size(text, 2),
                        Optional.of(AddressRange.all(BufferType.TRACE)));
            case TRACE_OVERLAP ->
                rejection(
                        line,
                        "its trace would lie at " + Quantities.address(number(text, 1)) + ", where there were "
                                + text.group(2).replace("DRAM activity", "allocations or frees of DRAM"),
                        overlapped(number(text, 1), text.group()));
        };
    }

    private RuntimeText rejection(long line, String figures, Optional<AddressRange> held) {
        return RuntimeText.rejection(line, conclusion.isEmpty() ? figures : conclusion + ": " + figures, held);
    }

    private static Optional<BufferType> type(String name) {
        return Arrays.stream(BufferType.values())
                .filter(type -> type.name().equals(name))
                .findFirst();
    }

    private static String noSpace(Matcher request) {
        String text = request.group();
        OptionalLong perBank = number(PER_BANK, text);
        OptionalLong bank = number(BANK_SIZE, text);
        OptionalLong free = number(FREE, text);
        OptionalLong largest = number(LARGEST_FREE, text);
        StringBuilder figures = new StringBuilder()
                .append(conclusion(perBank, bank, free, largest))
                .append(size(request, 1))
                .append(" of ")
                .append(request.group(2))
                .append(" across ")
                .append(number(request, 3))
                .append(" banks");
        append(figures, ", %s in each", perBank);
        append(figures, "; a bank has %s", bank);
        append(figures, ", of which %s were free", free);
        append(figures, ", at most %s in one piece", largest);
        return figures.toString();
    }

    /** Returns why there is no room, in the words of {@link dev.meshguard.event.MemoryShortage}, as far as it is known. */
    private static String conclusion(OptionalLong perBank, OptionalLong bank, OptionalLong free, OptionalLong largest) {
        if (isMoreThan(perBank, bank)) {
            return "too small: ";
        }
        if (isMoreThan(perBank, free)) {
            return "full: ";
        }
        if (isMoreThan(perBank, largest)) {
            return "fragmented: ";
        }
        if (free.isEmpty()) {
            return bank.isEmpty() ? "too small, full or fragmented: " : "full or fragmented: ";
        }
        return "";
    }

    private static boolean isMoreThan(OptionalLong needed, OptionalLong available) {
        return needed.isPresent() && available.isPresent() && needed.getAsLong() > available.getAsLong();
    }

    private static void append(StringBuilder figures, String form, OptionalLong bytes) {
        bytes.ifPresent(number -> figures.append(String.format(Locale.ROOT, form, Quantities.size(number))));
    }

    /** Returns where DRAM was in use above the address of a trace: up to the highest of the marks. */
    private static Optional<AddressRange> overlapped(long address, String text) {
        long end = MARK.matcher(text)
                .results()
                .mapToLong(mark -> Long.parseLong(mark.group(1)))
                .max()
                .orElse(0);
        return end > address ? Optional.of(new AddressRange(BufferType.DRAM, address, end)) : Optional.empty();
    }

    private static OptionalLong number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return OptionalLong.empty();
        }
        String digits = matcher.group(1);
        return OptionalLong.of(Long.parseLong(digits == null ? matcher.group(2) : digits));
    }

    private static long number(Matcher text, int group) {
        return Long.parseLong(text.group(group));
    }

    private static String size(Matcher text, int group) {
        return Quantities.size(number(text, group));
    }
}
