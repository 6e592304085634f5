package dev.meshguard.capture.internal;

import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.evidence.internal.RuntimeText;
import dev.meshguard.capture.evidence.internal.RuntimeText.AddressRange;
import dev.meshguard.capture.evidence.internal.RuntimeTextParser;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Collects notes on a recording for the reader of the verdict: operations that an exception left, input that was skipped, and other
 * remarks.
 */
final class CaptureNotes {

    private static final int MAX_KINDS = 8;
    private static final int MAX_EXCEPTIONS = 5;
    private static final int MAX_TEXT = 200;
    private static final Pattern FORMS = Pattern.compile("\\[([^|]*)\\|([^]]*)]");

    private final String recording;
    private final List<String> first = new ArrayList<>();
    private final Map<String, Long> skipped = new TreeMap<>();
    private long moreSkipped;
    private final List<Supplier<String>> exceptions = new ArrayList<>();
    private long exceptionCount;

    /**
     * Creates an empty collection.
     *
     * @param recording the word for the recording
     */
    CaptureNotes(String recording) {
        this.recording = recording;
    }

    void add(String note) {
        first.add(note);
    }

    /**
     * Adds a sentence about several things, unless there is none.
     *
     * @param form the sentence, with {@code %d} for their number, and in brackets the words for one and for several
     * @param others further values of the form
     */
    void add(long count, String form, Object... others) {
        if (count > 0) {
            add(String.format(
                    Locale.ROOT,
                    FORMS.matcher(form).replaceAll(count == 1 ? "$1" : "$2"),
                    Stream.concat(Stream.of(count), Arrays.stream(others)).toArray()));
        }
    }

    void skipped(String what) {
        String kind = shortened(what);
        if (skipped.size() < MAX_KINDS || skipped.containsKey(kind)) {
            skipped.merge(kind, 1L, Long::sum);
        } else {
            moreSkipped++;
        }
    }

    /**
     * Adds an operation that an exception left, with its number.
     *
     * @param buffers returns the buffers in a range of addresses, whose lines are known at the end; empty if it is not
     *     known which these are
     */
    void exception(String operation, String reason, Function<AddressRange, Optional<List<MemoryHolder>>> buffers) {
        exceptionCount++;
        if (exceptions.size() < MAX_EXCEPTIONS) {
            String text = "An exception left " + shortened(operation)
                    + (reason.isBlank() ? "." : ": " + Quantities.quoted(shortened(reason)) + ".");
            Optional<RuntimeText> rejection = RuntimeTextParser.firstOf(reason);
            Optional<List<MemoryHolder>> holders =
                    rejection.flatMap(RuntimeText::held).flatMap(buffers);
            exceptions.add(() -> text
                    + rejection.map(found -> " " + found.asReason()).orElse("")
                    + holders.map(this::sentenceOn).orElse(""));
        }
    }

    private String sentenceOn(List<MemoryHolder> holders) {
        return holders.isEmpty()
                ? " The " + recording + " allocated no buffer there."
                : " The " + recording + " has these buffers there in it: " + MemoryHolder.text(holders) + ".";
    }

    List<String> all() {
        List<String> all = new ArrayList<>();
        exceptions.forEach(exception -> all.add(exception.get()));
        if (exceptionCount > exceptions.size()) {
            all.add("Exceptions left " + Quantities.count(exceptionCount - exceptions.size(), "operation") + " more.");
        }
        all.addAll(first);
        if (!skipped.isEmpty()) {
            all.add(skipped.entrySet().stream()
                            .map(entry -> entry.getValue() + " × " + entry.getKey())
                            .collect(Collectors.joining(", ", "Skipped: ", ""))
                    + (moreSkipped == 0 ? "." : ", and " + moreSkipped + " more."));
        }
        return all;
    }

    private static String shortened(String text) {
        String line = text.strip().lines().findFirst().orElse("");
        return line.length() <= MAX_TEXT ? line : line.substring(0, MAX_TEXT) + "…";
    }
}
