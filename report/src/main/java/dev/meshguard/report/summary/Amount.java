package dev.meshguard.report.summary;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The most bytes of a memory, with the check that allocated them.
 *
 * @param number bytes
 * @param name the name of the check
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Amount(long number, String name) {

    /** Returns the larger one; of equal ones the first by name, so that the order of threads changes nothing. */
    public Amount or(Amount other) {
        boolean isFirst = number > other.number || (number == other.number && name.compareTo(other.name) <= 0);
        return isFirst ? this : other;
    }
}
