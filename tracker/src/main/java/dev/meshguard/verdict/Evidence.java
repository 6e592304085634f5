package dev.meshguard.verdict;

import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One fact of a history that supports a cause.
 *
 * @param text the fact, in words that name devices, addresses and event numbers
 * @param events the numbers of the events that prove it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Evidence(String text, List<Long> events) {

    private static final Pattern CONVERSION = Pattern.compile("#?%[a-z]");

    /** Creates evidence with its own copy of the numbers. */
    public Evidence {
        events = List.copyOf(events);
    }

    /** Returns evidence with the given events as proof. */
    public static Evidence of(String words, long... events) {
        return new Evidence(words, LongStream.of(events).boxed().toList());
    }

    /**
     * Returns a fact with the given values, in the format of {@link InvariantText}. The events that it
     * names as {@code #%d} prove it.
     */
    public static Evidence formatted(String format, Object... values) {
        List<Long> events = new ArrayList<>();
        Matcher conversions = CONVERSION.matcher(format);
        for (int i = 0; conversions.find(); i++) {
            if (conversions.group().startsWith("#")) {
                events.add((Long) values[i]);
            }
        }
        return new Evidence(InvariantText.of(format, values), events);
    }

    /** Returns this fact with the given events as proof, instead of those that it names. */
    public Evidence provedBy(List<Long> numbers) {
        return new Evidence(text, numbers);
    }

    @Override
    public String toString() {
        return text;
    }
}
