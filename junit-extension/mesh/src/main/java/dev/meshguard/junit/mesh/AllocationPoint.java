package dev.meshguard.junit.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.junit.internal.TestNames;
import java.util.Optional;

/**
 * One allocation that an invocation of a {@link FailEachAllocation} test makes: its memory and its line.
 *
 * @param memory the requested memory
 * @param site the line that allocated, if it is code of the user
 */
record AllocationPoint(BufferType memory, Optional<StackTraceElement> site) {

    /** Returns the allocation that the calling thread is making. */
    static AllocationPoint here(BufferType memory) {
        return new AllocationPoint(
                memory, Origin.of(new Throwable().getStackTrace()).site());
    }

    /** Returns a short form of the line: {@code Decoder.decode:41}. */
    String shortly() {
        return site.map(TestNames::of).orElse("an unknown place");
    }

    /** Returns memory and line, the line in a form that IDEs make clickable. */
    @Override
    public String toString() {
        return memory + " at " + site.map(StackTraceElement::toString).orElse("an unknown place");
    }
}
