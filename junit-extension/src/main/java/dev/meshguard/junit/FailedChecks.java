package dev.meshguard.junit;

import java.util.ArrayList;
import java.util.List;
import org.opentest4j.MultipleFailuresError;

/** What several checks of one test throw: each is made, whatever becomes of the one before. */
final class FailedChecks {

    private final List<Throwable> failures = new ArrayList<>();

    /** Makes a check. */
    void collect(Runnable check) {
        try {
            check.run();
        } catch (RuntimeException | AssertionError failure) {
            failures.add(failure);
        }
    }

    /** Throws what the checks threw: one as it is, several together. */
    void throwAll() {
        if (failures.size() == 1) {
            if (failures.get(0) instanceof AssertionError failure) {
                throw failure;
            }
            throw (RuntimeException) failures.get(0);
        }
        if (!failures.isEmpty()) {
            MultipleFailuresError all = new MultipleFailuresError("Checks of memory failed", failures);
            all.setStackTrace(failures.get(0).getStackTrace());
            throw all;
        }
    }
}
