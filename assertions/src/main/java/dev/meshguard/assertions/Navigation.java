package dev.meshguard.assertions;

import org.assertj.core.api.Assert;
import org.assertj.core.api.SoftAssertionsProvider;

/**
 * Makes the assert that a navigation method leads to.
 *
 * <p>AssertJ's soft assertions know only AssertJ's own navigation methods; what ours lead to has to be made soft by us, or
 * it would throw at once.
 */
interface Navigation {

    /** Returns an assert of the given class, or a soft one that collects. */
    <A extends Assert<? extends A, ? extends T>, T> A to(A strict, Class<A> type, Class<T> actualType, T actual);

    /** Returns where an assert leads that throws. */
    static Navigation strict() {
        return new Navigation() {
            @Override
            public <A extends Assert<? extends A, ? extends T>, T> A to(
                    A strict, Class<A> type, Class<T> actualType, T actual) {
                return strict;
            }
        };
    }

    /** Returns where an assert leads that collects. */
    static Navigation soft(SoftAssertionsProvider collector) {
        return new Navigation() {
            @Override
            public <A extends Assert<? extends A, ? extends T>, T> A to(
                    A strict, Class<A> type, Class<T> actualType, T actual) {
                return collector.proxy(type, actualType, actual);
            }
        };
    }
}
