package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.internal.MeshObserver;
import java.util.function.BooleanSupplier;

/** Passes a mesh that a tracked test opens on another tracker than its own to the run of the test. */
public final class OpenedMeshes implements MeshObserver {

    /** Called by {@link java.util.ServiceLoader}. */
    public OpenedMeshes() {}

    @Override
    public void opened(BooleanSupplier isExamined) {
        RunningTest.openedMesh(isExamined);
    }
}
