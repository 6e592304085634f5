package dev.meshguard.junit.mesh;

import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The meshes without hardware that a test opens in its own process; every test examines them unless it selects another source.
 *
 * <p>{@link FakeMesh} describes a mesh. Use the builder where an annotation is not enough, for example because the mesh
 * depends on a system property:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final MeshGuardExtension guard = MeshGuardExtension.builder()
 *         .source(FakeMeshSource.builder().mesh(1, 2).build())
 *         .build();
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class FakeMeshSource implements AnnotatedSource<FakeMesh> {

    private static final Set<Class<?>> PARAMETER_TYPES = Set.of(MeshDevice.class, Ttnn.class);

    /** Called by {@link java.util.ServiceLoader}; in code, use {@link #builder()}. */
    public FakeMeshSource() {}

    /** Returns a builder for a mesh with the defaults of {@link FakeMesh}. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String id() {
        return "mesh";
    }

    @Override
    public Class<FakeMesh> annotation() {
        return FakeMesh.class;
    }

    @Override
    public Set<Class<?>> parameterTypes() {
        return PARAMETER_TYPES;
    }

    @Override
    public SourceSettings settings(FakeMesh annotation, String location) {
        return FakeMeshSettings.of(annotation, location);
    }

    @Override
    public Optional<SourceSettings> defaultSettings() {
        return Optional.of(builder().build());
    }

    /** Describes a mesh; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private int rows = 2;
        private int columns = 4;
        private FaultPlan faults = FaultPlan.none();
        private MeshDeviceOptions opening = MeshDeviceOptions.defaults();
        private final List<Consumer<Ttnn.Builder>> runtime = new ArrayList<>();

        private Builder() {}

        /** Sets the shape of the mesh, which is the whole system; 2x4 by default. */
        public Builder mesh(int newRows, int newColumns) {
            rows = newRows;
            columns = newColumns;
            return this;
        }

        /** Sets the faults at run time; none by default. */
        public Builder faults(FaultPlan plan) {
            faults = plan;
            return this;
        }

        /** Sets the other arguments with which the mesh of a test is opened; its shape is that of {@link #mesh}. */
        public Builder opening(MeshDeviceOptions options) {
            opening = options;
            return this;
        }

        /**
         * Adds settings of the runtime, for example {@code runtime -> runtime.preset(RuntimePreset.OCTOBER_2025)}.
         *
         * @param choice applied to every test's runtime after all other settings of this builder
         */
        public Builder runtime(Consumer<Ttnn.Builder> choice) {
            runtime.add(choice);
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if there is no such mesh
         */
        public SourceSettings build() {
            return new FakeMeshSettings(
                            rows,
                            columns,
                            Architecture.WORMHOLE_B0,
                            RuntimePreset.MAY_2026,
                            Optional.empty(),
                            Set.of(),
                            Strictness.LENIENT,
                            HandleRelease.EXPLICIT,
                            faults,
                            opening,
                            runtime)
                    .checked("FakeMeshSource");
        }
    }
}
