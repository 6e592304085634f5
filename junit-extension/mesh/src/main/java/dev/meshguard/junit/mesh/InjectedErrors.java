package dev.meshguard.junit.mesh;

import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.InjectedFault;
import java.util.List;
import org.opentest4j.MultipleFailuresError;

/** Recognizes errors that a test may throw because a fault was injected. */
final class InjectedErrors {

    private InjectedErrors() {}

    /** Returns whether an error is that of one of the faults, is caused by one, or collects only such errors. */
    static boolean explain(Throwable error, List<? extends Fault> faults) {
        if (error instanceof MultipleFailuresError several && several.hasFailures()) {
            return several.getFailures().stream().allMatch(one -> explain(one, faults));
        }
        return InjectedFault.in(error)
                .filter(note -> faults.contains(note.fault()))
                .isPresent();
    }
}
