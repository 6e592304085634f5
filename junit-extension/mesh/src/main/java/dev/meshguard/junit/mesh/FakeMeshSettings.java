package dev.meshguard.junit.mesh;

import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.FaultPlan;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.tracker.AllocationListener;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** The settings of {@link FakeMesh}; they build its runtime and begin its session. */
record FakeMeshSettings(
        int rows,
        int columns,
        Architecture architecture,
        RuntimePreset preset,
        Optional<ReportingModel> reporting,
        Set<RuntimeDefect> defects,
        Strictness strictness,
        HandleRelease handleRelease,
        FaultPlan faults,
        MeshDeviceOptions opening,
        List<Consumer<Ttnn.Builder>> runtime)
        implements SourceSettings {

    /** The largest system, a Galaxy, has 8x4 devices. */
    private static final int MAX_DEVICES = 32;

    FakeMeshSettings {
        defects = Set.copyOf(defects);
        runtime = List.copyOf(runtime);
    }

    /**
     * Reads an annotation.
     *
     * @param location the annotation and its location, for messages
     */
    static FakeMeshSettings of(FakeMesh annotation, String location) {
        ReportingModel[] reporting = annotation.reporting();
        if (reporting.length > 1) {
            throw rejected(location, "reporting = " + Arrays.toString(reporting), "Give at most one.");
        }
        return new FakeMeshSettings(
                        annotation.rows(),
                        annotation.columns(),
                        annotation.architecture(),
                        annotation.preset(),
                        Arrays.stream(reporting).findFirst(),
                        Set.of(annotation.defects()),
                        annotation.strictness(),
                        annotation.handleRelease(),
                        FaultPlan.none(),
                        opening(annotation, location),
                        List.of())
                .checked(location);
    }

    /**
     * Requires that the sources of a test that runs with faults have a mesh into which they can be injected.
     *
     * @param location the annotation that injects the faults and its location, for messages
     */
    static void requireIn(List<SourceSettings> sources, String location) {
        if (sources.stream().noneMatch(FakeMeshSettings.class::isInstance)) {
            throw rejected(
                    location,
                    sources.stream()
                            .map(settings -> "the source \"" + settings.source().id() + "\"")
                            .collect(Collectors.joining(" and ")),
                    "It injects faults into a mesh in this process: use @FakeMesh.");
        }
    }

    @Override
    public AllocationSource source() {
        return new FakeMeshSource();
    }

    @Override
    public boolean isShareable() {
        return true;
    }

    /** Only a parameter of the test opens a mesh. */
    @Override
    public boolean beginsOnRequest() {
        return true;
    }

    @Override
    public SourceSession begin(SourceContext context) {
        return new FakeMeshSession(this, context);
    }

    private static MeshDeviceOptions opening(FakeMesh annotation, String location) {
        requireNotNegative(location, "l1SmallSize", annotation.l1SmallSize());
        requireNotNegative(location, "traceRegionSize", annotation.traceRegionSize());
        int queues = annotation.numCommandQueues();
        if (queues < 1 || queues > 2) {
            throw rejected(location, "numCommandQueues = " + queues, "A mesh has 1 or 2.");
        }
        return MeshDeviceOptions.defaults()
                .withL1SmallSize(annotation.l1SmallSize())
                .withTraceRegionSize(annotation.traceRegionSize())
                .withNumCommandQueues(queues);
    }

    /** Returns these settings if such a mesh exists. */
    FakeMeshSettings checked(String location) {
        requirePositive(location, "rows", rows);
        requirePositive(location, "columns", columns);
        if ((long) rows * columns > MAX_DEVICES) {
            throw rejected(
                    location,
                    "rows = " + rows + ", columns = " + columns,
                    String.format(
                            Locale.ROOT,
                            "The largest system has %d devices (8x4): ask for at most %d.",
                            MAX_DEVICES,
                            MAX_DEVICES));
        }
        if (!preset.supports(architecture)) {
            throw rejected(
                    location,
                    "architecture = " + architecture + ", preset = " + preset,
                    String.format(
                            Locale.ROOT,
                            "The constants of %s are known for %s only.",
                            architecture,
                            presetsOf(architecture)));
        }
        if (runtime.isEmpty()) {
            requireRoom(location);
        }
        return this;
    }

    /**
     * Rejects regions that exceed the memory; if code configures more of the runtime, the mesh rejects them when it
     * opens.
     */
    private void requireRoom(String location) {
        long l1 = architecture.l1Size() - preset.l1UnreservedBase(architecture);
        requireAtMost(
                location,
                "l1SmallSize",
                opening.l1SmallSize(),
                // Some memory must remain for buffers that are not small.
                roundedDown(l1 - 1),
                String.format(
                        Locale.ROOT, "L1 of a core of %s has %d B above what the runtime keeps", architecture, l1));
        long dram = architecture.dramBankSize() - preset.dramUnreservedBase(architecture);
        requireAtMost(
                location,
                "traceRegionSize",
                opening.traceRegionSize(),
                roundedDown(dram),
                String.format(
                        Locale.ROOT, "a DRAM bank of %s has %d B above what the runtime keeps", architecture, dram));
    }

    /** The runtime rounds both regions up to this. */
    private long roundedDown(long bytes) {
        return bytes - bytes % architecture.dramAlignment();
    }

    /** The arguments with which the mesh of a test is opened. */
    MeshDeviceOptions openingOfMesh() {
        return opening.withMeshShape(shape());
    }

    private MeshShape shape() {
        return MeshShape.of(rows, columns);
    }

    Ttnn ttnn(AllocationListener listener) {
        Ttnn.Builder builder = Ttnn.builder(listener)
                .systemMesh(shape())
                .architecture(architecture)
                .preset(preset)
                .defects(defects.toArray(RuntimeDefect[]::new))
                .handleRelease(handleRelease)
                .faults(faults);
        reporting.ifPresent(builder::reporting);
        if (strictness == Strictness.STRICT) {
            builder.strict();
        }
        runtime.forEach(choice -> choice.accept(builder));
        return builder.build();
    }

    private static ExtensionConfigurationException rejected(String location, String value, String allowed) {
        return ConfigurationErrors.of(location, value, allowed);
    }

    private static void requireNotNegative(String location, String name, long bytes) {
        if (bytes < 0) {
            throw rejected(location, name + " = " + bytes, "Give a number of bytes, 0 or more.");
        }
    }

    private static void requireAtMost(String location, String name, long bytes, long most, String because) {
        if (bytes > most) {
            throw rejected(
                    location,
                    name + " = " + bytes,
                    String.format(Locale.ROOT, "Give at most %d, a number of bytes: %s.", most, because));
        }
    }

    private static void requirePositive(String location, String name, int value) {
        if (value < 1) {
            throw rejected(
                    location,
                    name + " = " + value,
                    String.format(Locale.ROOT, "Give 1 or more; a mesh has at most %d devices.", MAX_DEVICES));
        }
    }

    private static String presetsOf(Architecture architecture) {
        return String.join(
                ", ",
                Arrays.stream(RuntimePreset.values())
                        .filter(preset -> preset.supports(architecture))
                        .map(Enum::name)
                        .toList());
    }
}
