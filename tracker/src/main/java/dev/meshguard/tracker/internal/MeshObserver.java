package dev.meshguard.tracker.internal;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.BooleanSupplier;

/**
 * Receives each mesh that is opened on a tracker that no test checks, so that the end of a run can count those that nobody examined.
 *
 * <p>{@link ServiceLoader} finds the observers once. They have no state.
 */
@FunctionalInterface
public interface MeshObserver {

    /** The observers of this process, most often none. */
    List<MeshObserver> ALL = all();

    /**
     * Called on the thread that opens the mesh.
     *
     * @param isExamined returns whether anybody has asked for what the tracker recorded
     */
    void opened(BooleanSupplier isExamined);

    private static List<MeshObserver> all() {
        try {
            return ServiceLoader.load(MeshObserver.class, MeshObserver.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
        } catch (ServiceConfigurationError notLoaded) {
            return List.of();
        }
    }
}
