package dev.meshguard.assertions;

import dev.meshguard.verdict.Survivor;
import java.util.List;
import org.assertj.core.api.ListAssert;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * Throws the failures of assertions or collects them, those of AssertJ's list assertions too.
 *
 * <p>AssertJ itself collects through subclasses that it creates at run time. They need access to packages that AssertJ
 * does not export, so they do not work for a class in a named module. They also do not support navigation that is not
 * AssertJ's.
 */
final class FailureSink {

    private final @Nullable SoftAssertionsProvider collector;

    private FailureSink(@Nullable SoftAssertionsProvider collector) {
        this.collector = collector;
    }

    static FailureSink throwing() {
        return new FailureSink(null);
    }

    static FailureSink collecting(SoftAssertionsProvider collector) {
        return new FailureSink(collector);
    }

    void accept(AssertionError failure) {
        if (collector == null) {
            throw failure;
        }
        collector.collectAssertionError(failure);
    }

    /** Returns an AssertJ assert, whose failures AssertJ can collect. */
    @SuppressWarnings("unchecked") // A class literal has no type arguments.
    ListAssert<Survivor> listAssert(List<Survivor> survivors) {
        return collector == null
                ? new ListAssert<>(survivors)
                : (ListAssert<Survivor>) collector.proxy(ListAssert.class, List.class, survivors);
    }
}
