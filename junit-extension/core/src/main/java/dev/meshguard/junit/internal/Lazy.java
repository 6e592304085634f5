package dev.meshguard.junit.internal;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is kept once it is computed; threads that ask at the same time may each compute it. An error is not kept, so each call
 * reports it.
 *
 * <p>Safe for use by several threads: two may look up at the same time, and find the same.
 */
public final class Lazy<T> {

    private volatile @Nullable T found;

    /** Returns the value; computes it at the first call. */
    public T computeIfAbsent(Supplier<T> value) {
        T known = found;
        if (known == null) {
            known = value.get();
            found = known;
        }
        return known;
    }
}
