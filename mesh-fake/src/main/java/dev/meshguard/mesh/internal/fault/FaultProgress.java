package dev.meshguard.mesh.internal.fault;

import dev.meshguard.mesh.allocator.InsufficientMemoryException;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.fault.InjectedFault;
import dev.meshguard.tracker.internal.DetailLoggers;
import org.slf4j.Logger;

/** One fault of a plan, and how far it has come. Safe for use by several threads. */
final class FaultProgress {

    private static final Logger logger = DetailLoggers.of(FaultProgress.class);

    private final Fault fault;
    private final FaultPlan plan;
    private long counted;
    private boolean happened;

    FaultProgress(Fault fault, FaultPlan plan) {
        this.fault = fault;
        this.plan = plan;
    }

    Fault fault() {
        return fault;
    }

    /** Counts one more matching event, and returns whether the fault happens now. */
    synchronized boolean isDue(long number) {
        counted++;
        if (counted == number) {
            happens();
        }
        return counted == number;
    }

    synchronized void happens() {
        if (!happened) {
            logger.info("Injected: {}", fault);
        }
        happened = true;
    }

    synchronized boolean hasHappened() {
        return happened;
    }

    /** Adds the marker of the injected fault to an error. */
    <E extends Throwable> E explains(E error) {
        error.addSuppressed(new InjectedFault(fault, plan));
        if (error instanceof InsufficientMemoryException outOfMemory) {
            outOfMemory.explain("injected: " + fault);
        }
        return error;
    }
}
