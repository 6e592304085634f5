package dev.meshguard.verification.corpus.faults;

import dev.meshguard.mesh.fault.Fault;

/** A fault of a run: of the runtime, or of its reports on their way to the listener. */
public sealed interface RunFault permits RunFault.OfRuntime, ReportFault {

    /** A fault that the runtime injects into its own calls. */
    record OfRuntime(Fault fault) implements RunFault {

        @Override
        public String toString() {
            return fault.toString();
        }
    }
}
