package dev.meshguard.junit.mesh;

import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The runtime of a test and its meshes. */
final class FakeMeshSession implements SourceSession {

    private static final Logger logger = DetailLoggers.of(FakeMeshSession.class);

    private final FakeMeshSettings settings;
    private final SourceContext context;
    private final Ttnn ttnn;
    private @Nullable MeshDevice mesh;

    FakeMeshSession(FakeMeshSettings settings, SourceContext context) {
        this.settings = settings;
        this.context = context;
        this.ttnn = settings.ttnn(context.tracker());
    }

    @Override
    public Object resolve(Class<?> type) {
        return type == Ttnn.class ? ttnn : mesh();
    }

    private MeshDevice mesh() {
        MeshDevice existing = mesh;
        if (existing == null) {
            existing = ttnn.openMeshDevice(settings.openingOfMesh());
            mesh = existing;
        }
        return existing;
    }

    @Override
    public List<FreeSpace> freeSpace() {
        return ttnn.openMeshDevices().stream()
                .flatMap(open -> open.freeSpace().stream())
                .toList();
    }

    /**
     * Closes the meshes that are open. Submeshes are closed first, as in the runtime's own fixture: a mesh cannot be
     * closed while one of them uses its queue.
     */
    @Override
    public void close() {
        // A reference that a field or a thread keeps beyond the test would open meshes that are never checked.
        ttnn.retire("this Ttnn belonged to " + context.name()
                + ", which is over and was checked. Ask for a Ttnn where you use it.");
        RuntimeException failed = null;
        List<MeshDevice> open = new ArrayList<>(ttnn.openMeshDevices());
        if (open.size() > 1) {
            open.sort(Comparator.comparing(one -> one.parent().isEmpty()));
        }
        for (MeshDevice one : open) {
            context.note("mesh " + one.id() + " was still open" + afterItsParent(one)
                    + "; MeshGuard cleared its program cache and closed it");
            try {
                one.parent().ifPresent(FakeMeshSession::quiesce);
                one.disableAndClearProgramCache();
                one.close();
            } catch (RuntimeException exception) {
                if (failed == null) {
                    failed = exception;
                } else {
                    failed.addSuppressed(exception);
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private static String afterItsParent(MeshDevice mesh) {
        return mesh.parent()
                .filter(parent -> !parent.isOpen())
                .map(parent -> " although mesh " + parent.id() + ", of which it is a part, was closed")
                .orElse("");
    }

    /** A mesh cannot be closed while its parent uses its queue; a test that left both open may not have waited for it. */
    private static void quiesce(MeshDevice parent) {
        try {
            parent.clearLoadedSubDeviceManager();
            parent.quiesceDevices();
        } catch (MeshRuntimeException stillInUse) {
            logger.debug("Mesh {} cannot be quiesced; the close says what is in its way", parent.id(), stillInUse);
        }
    }
}
