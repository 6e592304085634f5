package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.capture.evidence.internal.RuntimeText.Kind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the runtime's texts about memory in the lines of a log.
 *
 * <p>The texts are those of {@code bank_manager.cpp}, {@code program.cpp}, {@code mesh_trace.cpp} and
 * {@code trace_allocation_tracker.py}. Their beginnings and figures are read independently, because versions word them
 * differently. Programs print them behind any prefix.
 */
public final class RuntimeTextParser {

    /** The number of rejected requests that are kept, and of other texts. */
    private static final int MAX_TEXTS = 8;

    private static final Pattern NO_SPACE = Pattern.compile(
            "Out of Memory: Not enough space .{0,80}?to allocate (\\d+) B (\\w+)\\b.{0,20}? across (\\d+) banks");
    private static final Pattern PER_BANK =
            Pattern.compile("each bank needs to store (\\d+) B|\\((\\d+) B per bank\\)");
    private static final Pattern BANK_SIZE = Pattern.compile("bank size is (?:only )?(\\d+) B");
    private static final Pattern FREE = Pattern.compile("\\bfree: (\\d+) B");
    private static final Pattern LARGEST_FREE = Pattern.compile("largest free block: (\\d+) B");
    private static final Pattern CLASH =
            Pattern.compile("Statically allocated (circular|dataflow) buffers .{0,80}?clash with L1 buffers"
                    + ".{0,200}?L1 buffer allocated at (\\d+) and static \\w+ buffer region ends at (\\d+)");
    private static final Pattern BEYOND_L1 = Pattern.compile("Statically allocated (circular|dataflow) buffers"
            + " .{0,200}?grow to (\\d+) B which is beyond max L1 size of (\\d+) B");
    private static final Pattern BELOW_LIMIT =
            Pattern.compile("Out of Memory: Cannot allocate at an address below (\\d+)\\..{0,20}?Allocation at (\\d+)");
    private static final Pattern TRACE_REGION = Pattern.compile(
            "Creating trace buffers of size (\\d+) ?B .{0,80}?only (\\d+) ?B is allocated for trace region");
    private static final Pattern TRACE_OVERLAP = Pattern.compile("Trace buffer at address (\\d+) overlaps with"
            + " (DRAM activity during trace capture|buffers deallocated during trace capture"
            + "|buffers allocated during trace capture|DRAM activity captured by another live trace)");
    private static final Pattern WITH_TRACE = Pattern.compile(
            "Allocating device buffers is (?:potentially )?unsafe due to the existence of an active trace");

    private static final Pattern BEYOND_BUFFER =
            Pattern.compile("Cannot set to globally allocated buffer\\. Circular buffer size"
                    + " (\\d+) B exceeds allocated L1 buffer bank size of (\\d+) B");

    /** The beginning of a rejection. Its figures may be in the same line, or in those that follow. */
    private static final Pattern REJECTION = Pattern.compile(
            "Out of Memory: (?:Not enough|Cannot)|Statically allocated (?:circular|dataflow)"
                    + "|Cannot set to globally allocated buffer|Creating trace buffers of size|Trace buffer at address");

    /** A line that continues one: a loggers' break may lie before each of its figures. */
    private static final Pattern CONTINUATION =
            Pattern.compile("(?:E\\s+)?((?:where each bank|but |\\d+ ?B\\b|\\(allocated:|across "
                    + "|on core range|L1 buffer allocated|and static|is allocated|is beyond|Circular buffer size).*)");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{}");
    private static final Pattern VALUE = Pattern.compile("\\w+");

    private final List<RuntimeText> first = new ArrayList<>();
    private long rejections;
    private long others;
    private Optional<AliveBufferList> list = Optional.empty();

    /** The rejection in the last lines, which the next may continue; empty if there is none. */
    private String rejection = "";

    private long rejectionLine;

    /** Reads a line; returns whether it belongs to such a text. */
    public boolean read(String text, long line) {
        if (list.isPresent() && list.get().read(text)) {
            return true;
        }
        if (!rejection.isEmpty() && continues(text.strip())) {
            return true;
        }
        finish();
        list = AliveBufferList.beginningWith(text, line);
        if (list.isPresent()) {
            return true;
        }
        if (REJECTION.matcher(text).find()) {
            rejection = text;
            rejectionLine = line;
            return true;
        }
        boolean isWarning = WITH_TRACE.matcher(text).find();
        if (isWarning) {
            add(new RuntimeText(Kind.ALLOCATED_WITH_TRACE, line, "", Optional.empty(), List.of()));
        }
        return isWarning;
    }

    private boolean continues(String text) {
        Matcher placeholder = PLACEHOLDER.matcher(rejection);
        if (placeholder.find() && VALUE.matcher(text).matches()) {
            rejection = placeholder.replaceFirst(text);
            return true;
        }
        Matcher continuation = CONTINUATION.matcher(text);
        boolean continues = continuation.matches();
        rejection += continues ? " " + continuation.group(1) : "";
        return continues;
    }

    private void finish() {
        list.ifPresent(ended -> add(ended.text()));
        list = Optional.empty();
        if (!rejection.isEmpty()) {
            add(rejection(rejection, rejectionLine)
                    .orElseGet(() -> rejected(rejectionLine, "its figures cannot be read", Optional.empty())));
            rejection = "";
        }
    }

    private void add(RuntimeText text) {
        boolean isRejection = text.kind() == Kind.REJECTED_REQUEST;
        rejections += isRejection ? 1 : 0;
        others += isRejection ? 0 : 1;
        if ((isRejection ? rejections : others) <= MAX_TEXTS) {
            first.add(text);
        }
    }

    /**
     * Returns a note for each of the first texts of the lines that were read, and one for the number of the others.
     *
     * @param holders a sentence about the buffers that stood in the way of a text, if it is known which they were
     */
    public List<String> notes(Function<RuntimeText, Optional<String>> holders) {
        finish();
        List<String> notes = new ArrayList<>();
        for (RuntimeText text : first) {
            notes.add(RuntimeTextNotes.sentence(text, "line " + text.line())
                    + holders.apply(text).map(sentence -> " " + sentence).orElse(""));
        }
        if (rejections > MAX_TEXTS) {
            notes.add("The runtime rejected " + Quantities.count(rejections - MAX_TEXTS, "more request") + ".");
        }
        if (others > MAX_TEXTS) {
            notes.add("The runtime printed " + Quantities.count(others - MAX_TEXTS, "more warning") + " about traces.");
        }
        return notes;
    }

    /** Returns the first text of several lines, as an exception has them. */
    public static Optional<RuntimeText> firstOf(String lines) {
        RuntimeTextParser parser = new RuntimeTextParser();
        lines.lines().forEach(line -> parser.read(line, 0));
        parser.finish();
        return parser.first.stream().findFirst();
    }

    /** Returns a rejection; empty if its figures are missing, or have more digits than a size. */
    private static Optional<RuntimeText> rejection(String text, long line) {
        try {
            return ofFigures(text, line);
        } catch (NumberFormatException tooManyDigits) {
            return Optional.empty();
        }
    }

    private static Optional<RuntimeText> ofFigures(String text, long line) {
        Matcher noSpace = NO_SPACE.matcher(text);
        if (noSpace.find()) {
            return Optional.of(rejected(
                    line, noSpace(noSpace, text), type(noSpace.group(2)).map(AddressRange::all)));
        }
        Matcher clash = CLASH.matcher(text);
        if (clash.find()) {
            long lowest = Long.parseLong(clash.group(2));
            long end = Long.parseLong(clash.group(3));
            return Optional.of(rejected(
                    line,
                    String.format(
                            Locale.ROOT,
                            "occupied: %s buffers up to %s, and an L1 buffer lies at %s",
                            clash.group(1),
                            Quantities.address(end),
                            Quantities.address(lowest)),
                    Optional.of(new AddressRange(BufferType.L1, lowest, end))));
        }
        Matcher beyond = BEYOND_L1.matcher(text);
        if (beyond.find()) {
            return Optional.of(rejected(
                    line,
                    "too small: " + beyond.group(1) + " buffers up to " + size(beyond.group(2)) + ", and L1 has "
                            + size(beyond.group(3)),
                    Optional.empty()));
        }
        Matcher buffer = BEYOND_BUFFER.matcher(text);
        if (buffer.find()) {
            return Optional.of(rejected(
                    line,
                    "too small: a circular buffer of " + size(buffer.group(1)) + ", and its L1 buffer has "
                            + size(buffer.group(2)) + " in each bank",
                    Optional.empty()));
        }
        Matcher below = BELOW_LIMIT.matcher(text);
        if (below.find()) { // It names no memory, so no buffers either.
            return Optional.of(rejected(
                    line,
                    "its place would be " + address(below.group(2)) + ", and it may not lie below "
                            + address(below.group(1)),
                    Optional.empty()));
        }
        return traceRejection(text, line);
    }

    private static Optional<RuntimeText> traceRejection(String text, long line) {
        Matcher region = TRACE_REGION.matcher(text);
        if (region.find()) {
            return Optional.of(rejected(
                    line,
                    "too small: trace buffers of " + size(region.group(1)) + ", and the trace region has "
                            + size(region.group(2)),
                    Optional.of(AddressRange.all(BufferType.TRACE))));
        }
        Matcher overlap = TRACE_OVERLAP.matcher(text);
        return overlap.find()
                ? Optional.of(rejected(
                        line,
                        "its trace would lie at " + address(overlap.group(1)) + ", where there were "
                                + overlap.group(2).replace("DRAM activity", "allocations or frees of DRAM"),
                        Optional.empty()))
                : Optional.empty();
    }

    private static RuntimeText rejected(long line, String figures, Optional<AddressRange> held) {
        return new RuntimeText(Kind.REJECTED_REQUEST, line, figures, held, List.of());
    }

    private static Optional<BufferType> type(String name) {
        return Arrays.stream(BufferType.values())
                .filter(type -> type.name().equals(name))
                .findFirst();
    }

    private static String noSpace(Matcher request, String text) {
        OptionalLong perBank = number(PER_BANK, text);
        OptionalLong bank = number(BANK_SIZE, text);
        OptionalLong free = number(FREE, text);
        OptionalLong largest = number(LARGEST_FREE, text);
        StringBuilder figures = new StringBuilder()
                .append(conclusion(perBank, bank, free, largest))
                .append(size(request.group(1)))
                .append(" of ")
                .append(request.group(2))
                .append(" across ")
                .append(request.group(3))
                .append(" banks");
        append(figures, ", %s in each", perBank);
        append(figures, "; a bank has %s", bank);
        append(figures, ", of which %s were free", free);
        append(figures, ", at most %s in one piece", largest);
        return figures.toString();
    }

    /** Returns why there is no room, in the words of {@link dev.meshguard.event.MemoryShortage}; empty if it is not known. */
    private static String conclusion(OptionalLong perBank, OptionalLong bank, OptionalLong free, OptionalLong largest) {
        if (isMoreThan(perBank, bank)) {
            return "too small: ";
        }
        if (isMoreThan(perBank, free)) {
            return "full: ";
        }
        return isMoreThan(perBank, largest) ? "fragmented: " : "";
    }

    private static boolean isMoreThan(OptionalLong needed, OptionalLong available) {
        return needed.isPresent() && available.isPresent() && needed.getAsLong() > available.getAsLong();
    }

    private static void append(StringBuilder figures, String form, OptionalLong bytes) {
        bytes.ifPresent(number -> figures.append(String.format(Locale.ROOT, form, Quantities.size(number))));
    }

    private static OptionalLong number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return OptionalLong.empty();
        }
        String digits = matcher.group(1);
        return OptionalLong.of(Long.parseLong(digits == null ? matcher.group(2) : digits));
    }

    private static String address(String digits) {
        return Quantities.address(Long.parseLong(digits));
    }

    private static String size(String digits) {
        return Quantities.size(Long.parseLong(digits));
    }
}
