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
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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
        require(reporting.length <= 1, location, "reporting = " + Arrays.toString(reporting), "Give at most one.");
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
        require(
                sources.stream().anyMatch(FakeMeshSettings.class::isInstance),
                location,
                sources.stream()
                        .map(settings -> "the source \"" + settings.source().id() + "\"")
                        .collect(Collectors.joining(" and ")),
                "It injects faults into a mesh in this process: use @FakeMesh.");
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
        requireAtLeast(0, location, "l1SmallSize", annotation.l1SmallSize(), "Give a number of bytes, 0 or more.");
        requireAtLeast(
                0, location, "traceRegionSize", annotation.traceRegionSize(), "Give a number of bytes, 0 or more.");
        int queues = annotation.numCommandQueues();
        require(queues == 1 || queues == 2, location, "numCommandQueues = " + queues, "A mesh has 1 or 2.");
        return MeshDeviceOptions.defaults()
                .withL1SmallSize(annotation.l1SmallSize())
                .withTraceRegionSize(annotation.traceRegionSize())
                .withNumCommandQueues(queues);
    }

    /** Returns these settings if such a mesh exists; a mesh rejects regions that exceed its memory when it opens. */
    FakeMeshSettings checked(String location) {
        String allowed = "Give 1 or more; a mesh has at most " + MAX_DEVICES + " devices.";
        requireAtLeast(1, location, "rows", rows, allowed);
        requireAtLeast(1, location, "columns", columns, allowed);
        require(
                (long) rows * columns <= MAX_DEVICES,
                location,
                "rows = " + rows + ", columns = " + columns,
                "The largest system has " + MAX_DEVICES + " devices (8x4): ask for at most " + MAX_DEVICES + ".");
        require(
                preset.supports(architecture),
                location,
                "architecture = " + architecture + ", preset = " + preset,
                "The constants of " + architecture + " are known for " + presetsOf(architecture) + " only.");
        return this;
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

    private static void requireAtLeast(long least, String location, String name, long value, String allowed) {
        require(value >= least, location, name + " = " + value, allowed);
    }

    private static void require(boolean isValid, String location, String value, String allowed) {
        if (!isValid) {
            throw ConfigurationErrors.of(location, value, allowed);
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
