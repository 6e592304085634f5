package dev.meshguard.mesh;

import dev.meshguard.event.Phase;
import dev.meshguard.mesh.internal.report.Answers;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/**
 * The meshes of one runtime that were not closed, and the phase between the close of the last one and the next opening.
 *
 * <p>Safe for use by several threads. A thread that holds the lock of a mesh may call it.
 */
final class OpenMeshes {

    private static final Logger logger = DetailLoggers.of(Ttnn.class);

    private final AllocationListener listener;
    private final Set<MeshDevice> meshes = new LinkedHashSet<>();
    /** Ends when the next mesh is opened. */
    private Scope afterClose = () -> {};

    OpenMeshes(AllocationListener listener) {
        this.listener = listener;
    }

    /** Records that a mesh is open. */
    void opened(MeshDevice mesh) {
        synchronized (this) {
            afterClose.close();
            meshes.add(mesh);
        }
        logger.debug("Opened mesh {}: {}", mesh.id(), mesh);
    }

    /** Records that a mesh is closed. After the close of the last mesh, everything counts as after the close. */
    void closed(MeshDevice mesh) {
        logger.debug("Closed mesh {}: {}", mesh.id(), mesh);
        synchronized (this) {
            meshes.remove(mesh);
            if (meshes.isEmpty()) {
                afterClose = Answers.phase(listener, Phase.AFTER_CLOSE);
            }
        }
    }

    /** Returns the meshes in the order in which they were opened. */
    synchronized List<MeshDevice> all() {
        return List.copyOf(meshes);
    }
}
