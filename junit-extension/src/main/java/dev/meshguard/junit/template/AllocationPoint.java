package dev.meshguard.junit.template;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.junit.internal.TestNames;
import java.util.Optional;

/**
 * One allocation of a run.
 *
 * @param memory what was asked for
 * @param site the line that asked, if any code of the user did
 */
record AllocationPoint(BufferType memory, Optional<StackTraceElement> site) {

    /** Returns the allocation that the calling thread is making. */
    static AllocationPoint here(BufferType memory) {
        return new AllocationPoint(
                memory, Origin.of(new Throwable().getStackTrace()).site());
    }

    /** Returns the line in a few words: {@code Decoder.decode:41}. */
    String shortly() {
        return site.map(TestNames::of).orElse("an unknown place");
    }

    /** Returns memory and line, the line as an IDE makes it clickable. */
    @Override
    public String toString() {
        return memory + " -> at " + site.map(StackTraceElement::toString).orElse("an unknown place");
    }
}
