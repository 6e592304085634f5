package dev.meshguard.junit.internal;

import dev.meshguard.text.Quantities;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The longest wait of a check for frees by other threads.
 *
 * <p>It polls after one millisecond, then after twice as long each time, at most after a tenth of a second. An
 * immediate free costs nothing, a late one is not disturbed. If nothing is allocated, it does not wait and does not
 * even read the clock.
 *
 * @param atMost the longest wait; zero for no wait
 * @param timer the clock
 */
public record GracePeriod(Duration atMost, GraceTimer timer) {

    private static final Duration MAX = Duration.ofMinutes(10);
    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long MAX_PAUSE_NANOS = 100_000_000;
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}) ?(ms|s|m)?");

    /** Creates a period; rejects one that is negative or too long. */
    public GracePeriod {
        if (atMost.isNegative() || atMost.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("Give 0 or more, at most " + description(MAX) + ".");
        }
    }

    /**
     * Returns the duration of a text in the form of JUnit's timeouts: a number with {@code ms}, {@code s} or {@code m},
     * without a unit in seconds.
     *
     * @throws IllegalArgumentException if the text is invalid or the duration too long; the message contains the
     *     allowed values
     */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (form.matches()) {
            long number = Long.parseLong(form.group(1));
            Duration duration = switch (Optional.ofNullable(form.group(2)).orElse("s")) {
                case "ms" -> Duration.ofMillis(number);
                case "m" -> Duration.ofMinutes(number);
                default -> Duration.ofSeconds(number);
            };
            if (duration.compareTo(MAX) <= 0) {
                return duration;
            }
        }
        throw new IllegalArgumentException(
                "Give a number with ms, s or m, for example \"250 ms\" or \"2 s\"; at most " + description(MAX) + ".");
    }

    /**
     * Waits until no free is missing.
     *
     * @param missing the number of missing frees
     * @return a note for the reader if the wait was in vain
     */
    public Optional<String> await(LongSupplier missing) {
        long first = atMost.isZero() ? 0 : missing.getAsLong();
        if (first == 0) {
            return Optional.empty();
        }
        long start = timer.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        long left = first;
        for (long rest = atMost.toNanos(); rest > 0 && left > 0; rest = atMost.toNanos() - since(start)) {
            try {
                // A sleep of less than a millisecond returns at once; the thread would only spin.
                timer.sleep(Duration.ofNanos(Math.max(Math.min(pause, rest), FIRST_PAUSE_NANOS)));
            } catch (InterruptedException asksForTheEnd) {
                Thread.currentThread().interrupt();
                String waited = description(Duration.ofNanos(since(start))) + " of " + description(atMost);
                return Optional.of(note(waited, ", then the thread was interrupted", first, left));
            }
            left = missing.getAsLong();
            pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
        }
        return left == 0 ? Optional.empty() : Optional.of(note(description(atMost), "", first, left));
    }

    private long since(long start) {
        return timer.nanoTime() - start;
    }

    private static String note(String waited, String end, long first, long left) {
        return String.format(
                Locale.ROOT,
                "waited %s for frees of other threads%s; %s of %s came back meanwhile",
                waited,
                end,
                left < first ? String.valueOf(first - left) : "none",
                Quantities.count(first, "buffer"));
    }

    private static String description(Duration duration) {
        long millis = duration.toMillis();
        if (millis > 0 && millis % 60_000 == 0) {
            return millis / 60_000 + " m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }
}
