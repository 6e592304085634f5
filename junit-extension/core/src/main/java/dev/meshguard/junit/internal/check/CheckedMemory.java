package dev.meshguard.junit.internal.check;

import dev.meshguard.verdict.LeakVerdict;
import java.util.List;
import java.util.Optional;

/**
 * The result of judging the memory of a test, class or run at its end: the verdict, notes on it, and the error of
 * closing the session.
 *
 * @param verdict the verdict
 * @param notes notes on the end for the reader of a failure
 * @param failedClose the error of closing the session, if there was one
 */
record CheckedMemory(LeakVerdict verdict, List<String> notes, Optional<RuntimeException> failedClose) {

    CheckedMemory {
        notes = List.copyOf(notes);
    }
}
