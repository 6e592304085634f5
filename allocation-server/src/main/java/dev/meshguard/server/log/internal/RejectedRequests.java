package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The lines in which the runtime rejects a request because its memory has no room.
 *
 * <p>Programs print these texts into the log of a server if both write to one file. The texts are those of {@code bank_manager.cpp},
 * {@code program.cpp} and {@code mesh_trace.cpp}. Their beginnings and figures are read independently, because versions word them
 * differently.
 */
final class RejectedRequests {

    private static final int MAX_NOTES = 3;
    private static final int MAX_HOLDERS = 3;
    private static final String PAST_NOT_KEPT = "The buffers that were allocated then were not kept.";

    private static final Pattern NO_SPACE = Pattern.compile(
            "Out of Memory: Not enough space .{0,80}?to allocate (\\d+) B (\\w+)\\b.{0,20}? across (\\d+) banks");
    private static final Pattern PER_BANK =
            Pattern.compile("each bank needs to store (\\d+) B|\\((\\d+) B per bank\\)");
    private static final Pattern BANK_SIZE = Pattern.compile("bank size is (?:only )?(\\d+) B");
    private static final Pattern FREE = Pattern.compile("\\bfree: (\\d+) B");
    private static final Pattern LARGEST_FREE = Pattern.compile("largest free block: (\\d+) B");
    private static final Pattern CLASH =
            Pattern.compile("Statically allocated circular buffers .{0,80}?clash with L1 buffers"
                    + ".{0,200}?L1 buffer allocated at (\\d+) and static circular buffer region ends at (\\d+)");
    private static final Pattern BEYOND_L1 = Pattern.compile(
            "Statically allocated circular buffers .{0,200}?grow to (\\d+) B which is beyond max L1 size of (\\d+) B");
    private static final Pattern BELOW_LIMIT =
            Pattern.compile("Out of Memory: Cannot allocate at an address below (\\d+)\\..{0,20}?Allocation at (\\d+)");
    private static final Pattern TRACE_REGION = Pattern.compile(
            "Creating trace buffers of size (\\d+) ?B .{0,80}?only (\\d+) ?B is allocated for trace region");

    /**
     * A rejected request.
     *
     * @param line the number of its line
     * @param text the figures of the line
     * @param holds whether a buffer has memory that the request needs; empty if buffers are not the reason
     */
    private record Rejection(long line, String text, Optional<Predicate<BufferGeneration>> holds) {}

    /** Buffers of one address, one for each device. */
    private record Place(BufferType type, long address, long size, Optional<String> label, Optional<String> site) {

        static Place of(BufferGeneration buffer) {
            return new Place(
                    buffer.type(),
                    buffer.address(),
                    buffer.size(),
                    buffer.label(),
                    buffer.origin().flatMap(Origin::site).map(StackTraceElement::toString));
        }
    }

    private final List<Rejection> first = new ArrayList<>();
    private long count;

    /** Reads a line; returns whether it rejects a request. */
    boolean read(String text, long line) {
        Optional<Rejection> found = rejection(text, line);
        if (found.isPresent()) {
            count++;
            if (count <= MAX_NOTES) {
                first.add(found.get());
            }
        }
        return found.isPresent();
    }

    private static Optional<Rejection> rejection(String text, long line) {
        try {
            Matcher noSpace = NO_SPACE.matcher(text);
            if (noSpace.find()) {
                return Optional.of(new Rejection(line, noSpace(noSpace, text), Optional.of(isOf(noSpace.group(2)))));
            }
            Matcher clash = CLASH.matcher(text);
            if (clash.find()) {
                return Optional.of(clash(clash, line));
            }
            Matcher beyond = BEYOND_L1.matcher(text);
            if (beyond.find()) {
                return Optional.of(new Rejection(
                        line,
                        "circular buffers up to " + size(beyond.group(1)) + ", and L1 has " + size(beyond.group(2)),
                        Optional.empty()));
            }
            Matcher below = BELOW_LIMIT.matcher(text);
            if (below.find()) { // It names no memory, so no buffers either.
                return Optional.of(new Rejection(
                        line,
                        "its place would be " + address(below.group(2)) + ", and it may not lie below "
                                + address(below.group(1)),
                        Optional.empty()));
            }
            Matcher trace = TRACE_REGION.matcher(text);
            if (trace.find()) {
                return Optional.of(new Rejection(
                        line,
                        "trace buffers of " + size(trace.group(1)) + ", and the trace region has "
                                + size(trace.group(2)),
                        Optional.of(isOf(BufferType.TRACE.name()))));
            }
            return Optional.empty();
        } catch (NumberFormatException notANumber) {
            return Optional.empty(); // More digits than a size has: no text of the runtime.
        }
    }

    private static Predicate<BufferGeneration> isOf(String type) {
        return buffer -> buffer.type().name().equals(type);
    }

    private static String noSpace(Matcher request, String text) {
        StringBuilder said = new StringBuilder()
                .append(size(request.group(1)))
                .append(" of ")
                .append(request.group(2))
                .append(" across ")
                .append(request.group(3))
                .append(" banks");
        figure(PER_BANK, text)
                .ifPresent(bytes -> said.append(", ").append(bytes).append(" in each"));
        figure(BANK_SIZE, text).ifPresent(bytes -> said.append("; a bank has ").append(bytes));
        figure(FREE, text)
                .ifPresent(bytes -> said.append(", of which ").append(bytes).append(" were free"));
        figure(LARGEST_FREE, text)
                .ifPresent(bytes -> said.append(", at most ").append(bytes).append(" in one piece"));
        return said.toString();
    }

    private static Optional<String> figure(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return Optional.empty();
        }
        String digits = matcher.group(1);
        return Optional.of(size(digits == null ? matcher.group(2) : digits));
    }

    private static Rejection clash(Matcher clash, long line) {
        long lowest = Long.parseLong(clash.group(1));
        long end = Long.parseLong(clash.group(2));
        return new Rejection(
                line,
                String.format(
                        Locale.ROOT,
                        "circular buffers up to %s, and an L1 buffer lies at %s",
                        Quantities.address(end),
                        Quantities.address(lowest)),
                Optional.of(buffer ->
                        buffer.type() == BufferType.L1 && buffer.address() >= lowest && buffer.address() < end));
    }

    private static String address(String digits) {
        return Quantities.address(Long.parseLong(digits));
    }

    private static String size(String digits) {
        return Quantities.size(Long.parseLong(digits));
    }

    /**
     * Returns a note for each of the first rejections: its figures, and the buffers of the log that were allocated there.
     *
     * @param keepsPast whether the history has the buffers that were freed later
     */
    List<String> notes(AllocationHistory history, EventLineNumbers lines, boolean keepsPast) {
        List<String> notes = new ArrayList<>();
        for (Rejection rejection : first) {
            notes.add(String.format(
                    Locale.ROOT,
                    "The runtime rejected a request (line %d): %s.%s",
                    rejection.line(),
                    rejection.text(),
                    rejection
                            .holds()
                            .map(holds ->
                                    " " + (keepsPast ? held(rejection.line(), holds, history, lines) : PAST_NOT_KEPT))
                            .orElse("")));
        }
        if (count > MAX_NOTES) {
            notes.add("The runtime rejected " + Quantities.count(count - MAX_NOTES, "more request") + ".");
        }
        return notes;
    }

    private static String held(
            long line, Predicate<BufferGeneration> holds, AllocationHistory history, EventLineNumbers lines) {
        Map<Place, List<BufferGeneration>> buffers = history.generations().stream()
                .filter(buffer -> holds.test(buffer) && isLiveAt(line, buffer, lines))
                .collect(Collectors.groupingBy(Place::of));
        if (buffers.isEmpty()) {
            return "The lines before it report no buffer there.";
        }
        List<Map.Entry<Place, List<BufferGeneration>>> largestFirst = buffers.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(
                        Comparator.comparingLong(Place::size).reversed().thenComparing(Place::address)))
                .toList();
        String text = "By the lines before it, these buffers were allocated: "
                + largestFirst.stream()
                        .limit(MAX_HOLDERS)
                        .map(place -> description(place.getKey(), place.getValue(), lines))
                        .collect(Collectors.joining("; "));
        if (largestFirst.size() > MAX_HOLDERS) {
            List<Long> others = largestFirst.subList(MAX_HOLDERS, largestFirst.size()).stream()
                    .map(place -> place.getKey().size())
                    .toList();
            text += "; and " + Quantities.count(others.size(), "more buffer") + " of "
                    + Quantities.size(others.stream().reduce(0L, Quantities::saturatedSum));
        }
        return text + ".";
    }

    private static boolean isLiveAt(long line, BufferGeneration buffer, EventLineNumbers lines) {
        OptionalLong freed = buffer.freedAt();
        return lines.of(buffer.allocatedAt()).orElse(Long.MAX_VALUE) < line
                && (freed.isEmpty() || lines.of(freed.getAsLong()).orElse(Long.MAX_VALUE) > line);
    }

    private static String description(Place place, List<BufferGeneration> buffers, EventLineNumbers lines) {
        long devices =
                buffers.stream().mapToInt(BufferGeneration::device).distinct().count();
        String line = "in line " + lines.of(buffers.get(0).allocatedAt()).orElse(0);
        return Quantities.size(place.size()) + " at " + Quantities.address(place.address())
                + (devices == 1 ? "" : " on each of " + devices + " devices")
                + place.label()
                        .map(label -> ", label " + Quantities.quoted(label))
                        .orElse("")
                + ", " + place.site().map(site -> "at " + site).orElse(line);
    }
}
