package dev.meshguard.junit;

import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.fault.Fault;
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
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** The validated settings of a test. */
record TrackingSettings(
        MemorySource source,
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
        List<Consumer<Ttnn.Builder>> runtime,
        TrackingLifetime lifetime,
        Accounting accounting,
        CheckPolicy policies) {

    /** The largest system, a Galaxy, has 8x4 devices. */
    private static final int MAX_DEVICES = 32;

    private static final String NEEDS_A_MESH = "That is for a mesh in this process: let the source be FAKE.";

    TrackingSettings {
        defects = Set.copyOf(defects);
        runtime = List.copyOf(runtime);
    }

    /**
     * Reads the mesh settings of an annotation; its policies are resolved separately.
     *
     * @param place its location, for messages
     */
    static TrackingSettings of(TrackAllocations annotation, String place) {
        ReportingModel[] reporting = annotation.reporting();
        if (reporting.length > 1) {
            throw rejected(place, "reporting = " + Arrays.toString(reporting), "Give at most one.");
        }
        return new TrackingSettings(
                        annotation.source(),
                        annotation.rows(),
                        annotation.columns(),
                        annotation.architecture(),
                        annotation.preset(),
                        Arrays.stream(reporting).findFirst(),
                        Set.of(annotation.defects()),
                        annotation.strictness(),
                        annotation.handleRelease(),
                        faults(annotation.faults(), place),
                        opening(annotation, place),
                        List.of(),
                        annotation.lifetime(),
                        annotation.accounting(),
                        CheckPolicy.DEFAULTS)
                .checked(place);
    }

    private static FaultPlan faults(String text, String place) {
        if (text.isEmpty()) {
            return FaultPlan.none();
        }
        try {
            return FaultPlan.parse(text);
        } catch (IllegalArgumentException notAPlan) {
            throw rejected(place, "faults = \"" + text + "\"", notAPlan.getMessage() + ".");
        }
    }

    private static MeshDeviceOptions opening(TrackAllocations annotation, String place) {
        requireNotNegative(place, "l1SmallSize", annotation.l1SmallSize());
        requireNotNegative(place, "traceRegionSize", annotation.traceRegionSize());
        int queues = annotation.numCommandQueues();
        if (queues < 1 || queues > 2) {
            throw rejected(place, "numCommandQueues = " + queues, "A mesh has 1 or 2.");
        }
        return MeshDeviceOptions.defaults()
                .withL1SmallSize(annotation.l1SmallSize())
                .withTraceRegionSize(annotation.traceRegionSize())
                .withNumCommandQueues(queues);
    }

    /** Returns these settings if such a mesh exists. */
    TrackingSettings checked(String place) {
        if (source == MemorySource.PROCESSES) {
            rejectWhatNeedsAMesh(place);
        }
        requirePositive(place, "rows", rows);
        requirePositive(place, "columns", columns);
        if ((long) rows * columns > MAX_DEVICES) {
            throw rejected(
                    place,
                    "rows = " + rows + ", columns = " + columns,
                    String.format(
                            Locale.ROOT,
                            "The largest system has %d devices (8x4): ask for at most %d.",
                            MAX_DEVICES,
                            MAX_DEVICES));
        }
        if (!preset.supports(architecture)) {
            throw rejected(
                    place,
                    "architecture = " + architecture + ", preset = " + preset,
                    String.format(
                            Locale.ROOT,
                            "The constants of %s are known for %s only.",
                            architecture,
                            presetsOf(architecture)));
        }
        if (runtime.isEmpty() && opening.workerL1Size() == 0) {
            requireRoom(place);
        }
        return this;
    }

    /**
     * Rejects regions that exceed the memory; if code configures more of the runtime, the mesh rejects them when it
     * opens.
     */
    private void requireRoom(String place) {
        long l1 = architecture.l1Size() - preset.l1UnreservedBase(architecture);
        requireAtMost(
                place,
                "l1SmallSize",
                opening.l1SmallSize(),
                // Some memory must remain for buffers that are not small.
                roundedDown(l1 - 1),
                String.format(
                        Locale.ROOT, "L1 of a core of %s has %d B above what the runtime keeps", architecture, l1));
        long dram = architecture.dramBankSize() - preset.dramUnreservedBase(architecture);
        requireAtMost(
                place,
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

    /** Rejects settings of a mesh, because they cannot configure the memory of another process. */
    private void rejectWhatNeedsAMesh(String place) {
        String ofMesh = "source = PROCESSES, ";
        if (!defects.isEmpty()) {
            throw rejected(place, ofMesh + "defects = " + defects, NEEDS_A_MESH);
        }
        if (!faults.faults().isEmpty()) {
            throw rejected(place, ofMesh + "faults = \"" + faults + "\"", NEEDS_A_MESH);
        }
        if (accounting == Accounting.EACH_TEST) {
            throw rejected(
                    place,
                    ofMesh + "accounting = EACH_TEST",
                    "Each program has a verdict of its own: let the lifetime be TEST, or leave accounting out.");
        }
    }

    /** Returns these settings as required by an invocation of a test template. */
    TrackingSettings in(TemplateInvocation invocation) {
        if (source == MemorySource.PROCESSES) {
            throw rejected(invocation.location(), "source = PROCESSES", NEEDS_A_MESH);
        }
        if (lifetime == TrackingLifetime.CLASS) {
            throw rejected(
                    invocation.location(),
                    "lifetime = CLASS",
                    "Its invocations need a mesh that no other test uses: let the lifetime be TEST.");
        }
        FaultPlan all = faults;
        for (Fault fault : invocation.faults().faults()) {
            all = all.with(fault);
        }
        Set<RuntimeDefect> both = EnumSet.noneOf(RuntimeDefect.class);
        both.addAll(defects);
        both.addAll(invocation.defects());
        return new TrackingSettings(
                source,
                rows,
                columns,
                architecture,
                preset,
                reporting,
                both,
                strictness,
                handleRelease,
                all,
                opening,
                runtime,
                lifetime,
                accounting,
                invocation.judgesAlone() ? policies.unchecked() : policies);
    }

    /** Returns these settings with other policies. */
    TrackingSettings with(CheckPolicy other) {
        return new TrackingSettings(
                source,
                rows,
                columns,
                architecture,
                preset,
                reporting,
                defects,
                strictness,
                handleRelease,
                faults,
                opening,
                runtime,
                lifetime,
                accounting,
                other);
    }

    /** Returns whether each test on a mesh that outlives it is responsible for its own survivors. */
    boolean checksEachTest() {
        return lifetime != TrackingLifetime.TEST && accounting == Accounting.EACH_TEST;
    }

    /**
     * Returns the settings that tests must have in common to share a mesh. If each test is responsible for its own
     * survivors, only the tracker's policies are included.
     */
    TrackingSettings ofMesh() {
        return checksEachTest() ? with(CheckPolicy.DEFAULTS.withOrigins(policies.origins())) : this;
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

    static ExtensionConfigurationException rejected(String place, String value, String allowed) {
        return ConfigurationErrors.of(place, value, allowed);
    }

    private static void requireNotNegative(String place, String name, long bytes) {
        if (bytes < 0) {
            throw rejected(place, name + " = " + bytes, "Give a number of bytes, 0 or more.");
        }
    }

    private static void requireAtMost(String place, String name, long bytes, long most, String because) {
        if (bytes > most) {
            throw rejected(
                    place,
                    name + " = " + bytes,
                    String.format(Locale.ROOT, "Give at most %d, a number of bytes: %s.", most, because));
        }
    }

    private static void requirePositive(String place, String name, int value) {
        if (value < 1) {
            throw rejected(
                    place,
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
