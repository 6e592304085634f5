package dev.meshguard.verdict.expectation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An allowlist: the survivors that may stay.
 *
 * <p>A survivor is counted for the first entry that fits it and still has room.
 *
 * @param entries the entries, in the order in which they are tried
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ExpectedBuffers(List<Expectation> entries) {

    /** Creates an allowlist with its own copy of the entries. */
    public ExpectedBuffers {
        entries = List.copyOf(entries);
    }

    /** Returns the allowlist that allows nothing. */
    public static ExpectedBuffers none() {
        return new ExpectedBuffers(List.of());
    }

    /** Returns an allowlist of the given entries. */
    public static ExpectedBuffers of(Expectation... entries) {
        return new ExpectedBuffers(Arrays.asList(entries));
    }

    /** Returns this allowlist followed by more entries. */
    public ExpectedBuffers and(Expectation... more) {
        return and(of(more));
    }

    /** Returns this allowlist followed by another one. */
    public ExpectedBuffers and(ExpectedBuffers other) {
        List<Expectation> all = new ArrayList<>(entries);
        all.addAll(other.entries);
        return new ExpectedBuffers(all);
    }
}
