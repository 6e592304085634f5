package dev.meshguard.assertions;

import org.assertj.core.api.AbstractAssert;
import org.assertj.core.error.ErrorMessageFactory;

/**
 * The base class of MeshGuard's asserts: their failures are thrown, or collected by soft assertions.
 *
 * @param <SELF> the type of the assert itself
 * @param <ACTUAL> the type of the subject
 */
abstract sealed class MemoryAssert<SELF extends MemoryAssert<SELF, ACTUAL>, ACTUAL> extends AbstractAssert<SELF, ACTUAL>
        permits AbstractLeakAssert, AccumulationAssert, MemoryShortageAssert {

    final FailureSink sink;

    MemoryAssert(ACTUAL actual, Class<?> selfType, FailureSink sink) {
        super(actual, selfType);
        this.sink = sink;
    }

    /** Fails with a message in AssertJ's format. */
    final SELF failed(ErrorMessageFactory message) {
        return failed(assertionError(message));
    }

    final SELF failed(AssertionError failure) {
        sink.accept(failure);
        return myself;
    }
}
