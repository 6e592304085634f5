package dev.meshguard.junit.internal.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.opentest4j.MultipleFailuresError;

/** Collects the errors of several checks of one test: each check runs, even if an earlier one failed. */
final class FailedChecks {

    private final List<Throwable> failures = new ArrayList<>();

    /** Adds the error of a check. */
    void add(Throwable failure) {
        failures.add(failure);
    }

    /** Runs a check, which returns its failure or throws an error of its own. */
    void collect(Supplier<Optional<? extends Throwable>> check) {
        try {
            check.get().ifPresent(failures::add);
        } catch (RuntimeException | Error failure) {
            failures.add(failure);
        }
    }

    /** Throws the collected errors: a single one unchanged, several combined. */
    void throwAll() {
        if (failures.size() == 1) {
            if (failures.get(0) instanceof Error failure) {
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
