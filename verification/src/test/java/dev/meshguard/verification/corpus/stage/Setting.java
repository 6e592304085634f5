package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.verification.corpus.faults.RunFaults;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The runtime of a program, with its defects and faults. Immutable. */
public final class Setting {

    /**
     * Defects by which the runtime keeps or crashes on memory; all others only touch what it says.
     *
     * <p>From what {@code MeshDevice}, {@code MeshTraces} and {@code MeshMemory} do when they are on.
     */
    private static final Set<RuntimeDefect> OF_THE_MEMORY = EnumSet.of(
            RuntimeDefect.DEVICE_INITIALISED_TWICE,
            RuntimeDefect.INITIALISED_BY_DEVICE_AND_MESH,
            RuntimeDefect.TRACE_BUFFER_KEPT_AFTER_RELEASE,
            RuntimeDefect.TRACE_SIZE_NOT_LOWERED_ON_RELEASE,
            RuntimeDefect.MESH_BUFFER_FREED_AFTER_CLOSE_CRASHES,
            RuntimeDefect.MESH_DESTROYED_BEFORE_ITS_BUFFERS_CRASHES);

    private RuntimePreset preset = RuntimePreset.MAY_2026;
    private Architecture architecture = Architecture.WORMHOLE_B0;
    private ReportingModel model = ReportingModel.COMPLETE;
    private Set<RuntimeDefect> defects = Set.of();
    private Set<RuntimeFix> fixes = Set.of();
    private RunFaults faults = RunFaults.none();
    private CloseOrder closeOrder = CloseOrder.SYSTEM_BUFFERS_FIRST;
    private Optional<BufferLifetime> systemBuffers = Optional.of(BufferLifetime.SYSTEM);
    private HandleRelease handleRelease = HandleRelease.EXPLICIT;

    private Setting() {}

    private Setting but(Consumer<Setting> change) {
        Setting copy = new Setting();
        copy.preset = preset;
        copy.architecture = architecture;
        copy.model = model;
        copy.defects = defects;
        copy.fixes = fixes;
        copy.faults = faults;
        copy.closeOrder = closeOrder;
        copy.systemBuffers = systemBuffers;
        copy.handleRelease = handleRelease;
        change.accept(copy);
        return copy;
    }

    /** Returns a runtime without fault that hides nothing and takes a buffer for itself. */
    public static Setting faultless() {
        return new Setting();
    }

    /** Returns this runtime of another version and chips. */
    public Setting on(RuntimePreset newPreset, Architecture newArchitecture) {
        return but(copy -> {
            copy.preset = newPreset;
            copy.architecture = newArchitecture;
        });
    }

    /** Returns this runtime reporting in another way. */
    public Setting reporting(ReportingModel newModel) {
        return but(copy -> copy.model = newModel);
    }

    /** Returns this runtime with the given defects. */
    public Setting with(RuntimeDefect... newDefects) {
        return but(copy -> copy.defects = Set.of(newDefects));
    }

    /** Returns this runtime with a repair. */
    public Setting with(RuntimeFix fix) {
        return but(copy -> copy.fixes = Set.of(fix));
    }

    /** Returns this runtime with the given faults. */
    public Setting with(RunFaults newFaults) {
        return but(copy -> copy.faults = newFaults);
    }

    /** Returns this runtime taking itself apart in another order. */
    public Setting closing(CloseOrder newOrder) {
        return but(copy -> copy.closeOrder = newOrder);
    }

    /** Returns this runtime with buffers of its own of the given lifetime, or without. */
    public Setting ownBuffers(Optional<BufferLifetime> lifetime) {
        return but(copy -> copy.systemBuffers = lifetime);
    }

    /** Returns this runtime doing something else with what a program dropped without freeing it. */
    public Setting releasing(HandleRelease newRelease) {
        return but(copy -> copy.handleRelease = newRelease);
    }

    /** Returns whether what a program dropped is given back once it was collected. */
    public boolean releasesWhatIsCollected() {
        return handleRelease == HandleRelease.ON_COLLECT;
    }

    /**
     * Returns the runtime that does the same to the memory and reports everything as it is: the defects and faults that only touch
     * reports are left out, and so are the gaps of its model.
     */
    public Setting reportingTheTruth() {
        return but(copy -> {
            copy.model = ReportingModel.COMPLETE;
            copy.defects = defects.stream().filter(OF_THE_MEMORY::contains).collect(Collectors.toUnmodifiableSet());
            copy.faults = faults.withoutFaultsOfReports();
        });
    }

    /** Returns whether the runtime gets nothing wrong. */
    boolean isFaultless() {
        return defects.isEmpty() && faults.isEmpty();
    }

    /** Returns whether nothing is said any more once the first mesh is closed. */
    public boolean isSilentAfterClose() {
        return defects.contains(RuntimeDefect.REPORTS_END_AT_CLOSE);
    }

    /** Returns a runtime of this kind. */
    public Ttnn open(AllocationListener listener) {
        Ttnn.Builder builder = Ttnn.builder(faults.between(listener))
                .preset(preset)
                .architecture(architecture)
                .reporting(model)
                .defects(defects.toArray(RuntimeDefect[]::new))
                .fixes(fixes.toArray(RuntimeFix[]::new))
                .faults(faults.ofRuntime())
                .closeOrder(closeOrder)
                .handleRelease(handleRelease);
        systemBuffers.ifPresent(lifetime ->
                builder.systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), BufferType.DRAM, 4_096, lifetime));
        return builder.build();
    }

    /** Returns whether some of its faults lose, double or disorder reports. */
    public boolean distortsReports() {
        return !faults.ofReports().isEmpty();
    }

    /** Returns what is not as in a faultless runtime. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%s %s", preset, model));
        if (architecture != Architecture.WORMHOLE_B0) {
            text.append(' ').append(architecture);
        }
        defects.stream().sorted().forEach(defect -> text.append(' ').append(defect));
        fixes.stream().sorted().forEach(fix -> text.append(' ').append(fix));
        if (closeOrder != CloseOrder.SYSTEM_BUFFERS_FIRST) {
            text.append(' ').append(closeOrder);
        }
        text.append(systemBuffers
                .map(lifetime -> lifetime == BufferLifetime.SYSTEM ? "" : " own " + lifetime)
                .orElse(" owns nothing"));
        if (handleRelease != HandleRelease.EXPLICIT) {
            text.append(' ').append(handleRelease);
        }
        if (!faults.isEmpty()) {
            text.append(' ').append(faults.toString().replace("FaultPlan.none()", ""));
        }
        return text.toString();
    }
}
