package dev.meshguard.report.summary;

import java.util.Comparator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A number with its subject; the largest comes first, and of equal ones the first by name, so that the order does not
 * depend on threads.
 *
 * @param number bytes or nanoseconds
 * @param name the subject
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Amount(long number, String name) implements Comparable<Amount> {

    private static final Comparator<Amount> ORDER =
            Comparator.comparingLong(Amount::number).reversed().thenComparing(Amount::name);

    @Override
    public int compareTo(Amount other) {
        return ORDER.compare(this, other);
    }

    /** Returns the one that comes first. */
    public Amount or(Amount other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
