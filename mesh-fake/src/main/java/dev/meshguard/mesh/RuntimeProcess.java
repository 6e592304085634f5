package dev.meshguard.mesh;

import dev.meshguard.event.Phase;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarning;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.ClusterType;
import dev.meshguard.mesh.runtime.CoreGrid;
import dev.meshguard.mesh.runtime.DispatchCoreConfig;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.runtime.ReportingModel;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.Strictness;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.SystemMesh;
import dev.meshguard.mesh.tensor.OperationProfiles;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.Scope;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state that the real runtime keeps once per process: its settings, counters and devices, and the meshes over them.
 *
 * <p>Counters never restart, as in the runtime (quirk Q12). Safe for use by several threads. One lock guards the devices and
 * the set of open meshes. A thread that holds the lock of a mesh may acquire it, but never the other way round.
 */
final class RuntimeProcess {

    private static final Logger logger = LoggerFactory.getLogger(Ttnn.class);

    private final AllocationListener listener;
    private final FaultScript faults;
    private final AllocationListener reports;
    private final StrictModeChecks misuse;
    private final RuntimePreset preset;
    private final ClusterType cluster;
    private final int harvestedColumns;
    private final SystemMesh systemMesh;
    private final EnumSet<RuntimeDefect> defects;
    private final EnumSet<RuntimeFix> fixes;
    private final ReportingModel reporting;
    private final List<Ttnn.SystemBuffer> systemBuffers;
    private final List<SystemProgram> systemPrograms;
    private final OperationProfiles operations;
    private final CloseOrder closeOrder;
    private final Strictness strictness;
    private final HandleRelease handleRelease;
    private final int withheldAddresses;
    private final UnsafeAllocationWarning unsafeAllocations = UnsafeAllocationWarning.toLog();
    private final AtomicLong buffers = new AtomicLong();
    private final AtomicInteger meshes = new AtomicInteger();
    private final AtomicInteger programs = new AtomicInteger();
    private final AtomicInteger traces = new AtomicInteger();
    private final AtomicInteger subDeviceManagers = new AtomicInteger();
    private final AtomicInteger globalSemaphores = new AtomicInteger();
    private final AtomicInteger globalCircularBuffers = new AtomicInteger();

    private final Object lock = new Object();
    private final DeviceManager devices;
    private final Set<MeshDevice> openMeshes = new LinkedHashSet<>();
    private volatile @Nullable String retiredBecause;
    /** Ends when the next mesh is opened. */
    private Scope afterClose = () -> {};

    RuntimeProcess(Ttnn.Builder settings) {
        this.listener = settings.listener;
        this.preset = settings.preset;
        this.cluster = settings.cluster;
        this.harvestedColumns = settings.harvestedColumns;
        this.systemMesh = new SystemMesh(settings.systemMesh);
        this.defects = settings.defects.clone();
        this.fixes = settings.fixes.clone();
        this.reporting = settings.reporting.orElse(settings.preset.reporting());
        this.systemBuffers = List.copyOf(settings.systemBuffers);
        this.systemPrograms = List.copyOf(settings.systemPrograms);
        this.operations = settings.operations;
        this.closeOrder = settings.closeOrder;
        this.strictness = settings.strictness;
        this.handleRelease = settings.handleRelease;
        this.withheldAddresses = settings.withheldAddresses;
        this.faults = new FaultScript(settings.faults);
        this.reports = faults.between(settings.listener);
        this.misuse = new StrictModeChecks(isStrict());
        this.devices = new DeviceManager(activatedTogether(), systemMesh.shape().meshSize(), faults, misuse);
    }

    AllocationListener listener() {
        return listener;
    }

    /** Returns the target of the meshes' reports: the listener, or the faults in front of it. */
    AllocationListener reports() {
        return reports;
    }

    FaultScript faults() {
        return faults;
    }

    StrictModeChecks misuse() {
        return misuse;
    }

    RuntimePreset preset() {
        return preset;
    }

    Architecture architecture() {
        return cluster.architecture();
    }

    /** Returns the cores of each chip that remain for programs with the given dispatch. */
    CoreGrid computeGrid(DispatchCoreConfig dispatch) {
        return cluster.computeGrid(dispatch, harvestedColumns);
    }

    SystemMesh systemMesh() {
        return systemMesh;
    }

    ReportingModel reporting() {
        return reporting;
    }

    List<Ttnn.SystemBuffer> systemBuffers() {
        return systemBuffers;
    }

    List<SystemProgram> systemPrograms() {
        return systemPrograms;
    }

    OperationProfiles operations() {
        return operations;
    }

    CloseOrder closeOrder() {
        return closeOrder;
    }

    boolean isStrict() {
        return strictness == Strictness.STRICT;
    }

    HandleRelease handleRelease() {
        return handleRelease;
    }

    int withheldAddresses() {
        return withheldAddresses;
    }

    UnsafeAllocationWarning unsafeAllocations() {
        return unsafeAllocations;
    }

    Set<RuntimeDefect> defectsWith(Set<RuntimeDefect> more) {
        Set<RuntimeDefect> all = EnumSet.copyOf(defects);
        all.addAll(more);
        return all;
    }

    /** Takes numbers for buffers and returns the first of them. */
    long nextBufferIds(int count) {
        return buffers.getAndAdd(count);
    }

    Set<RuntimeFix> fixes() {
        return fixes;
    }

    int nextMeshId() {
        return meshes.getAndIncrement();
    }

    int nextProgramId() {
        return programs.incrementAndGet();
    }

    TraceId nextTraceId() {
        return new TraceId(traces.getAndIncrement());
    }

    SubDeviceManagerId nextSubDeviceManagerId() {
        return new SubDeviceManagerId(subDeviceManagers.getAndIncrement());
    }

    int nextGlobalSemaphoreId() {
        return globalSemaphores.incrementAndGet();
    }

    int nextGlobalCircularBufferId() {
        return globalCircularBuffers.incrementAndGet();
    }

    /** Runs work on the devices and the list of open meshes. */
    <T> T withDevices(Function<DeviceManager, T> work) {
        synchronized (lock) {
            return work.apply(devices);
        }
    }

    /** Records that a mesh is open. */
    void opened(MeshDevice mesh) {
        synchronized (lock) {
            afterClose.close();
            openMeshes.add(mesh);
        }
        logger.debug("Opened mesh {}: {}", mesh.id(), mesh);
    }

    /** Records that a mesh is closed. After the close of the last mesh, everything counts as after the close. */
    void closed(MeshDevice mesh) {
        logger.debug("Closed mesh {}: {}", mesh.id(), mesh);
        synchronized (lock) {
            openMeshes.remove(mesh);
            if (openMeshes.isEmpty()) {
                afterClose = Answers.phase(listener, Phase.AFTER_CLOSE);
            }
        }
    }

    /** Returns the meshes that were not closed, in the order in which they were opened. */
    List<MeshDevice> openMeshes() {
        synchronized (lock) {
            return List.copyOf(openMeshes);
        }
    }

    void retire(String because) {
        synchronized (lock) {
            retiredBecause = because;
        }
    }

    /**
     * Returns why the runtime opens no more meshes, if so. It needs no lock, because a thread that closes a mesh may hold it.
     */
    Optional<String> retiredBecause() {
        return Optional.ofNullable(retiredBecause);
    }

    void requireInService(Supplier<String> wanted) {
        synchronized (lock) {
            if (retiredBecause != null) {
                throw new IllegalStateException(
                        String.format(Locale.ROOT, "Cannot open %s: %s", wanted.get(), retiredBecause));
            }
        }
    }

    /** Chips without a host link of their own can only be reached through others, so a cluster of Wormholes is activated as a whole. */
    private int activatedTogether() {
        int chips = systemMesh.shape().meshSize();
        boolean hasRemoteChips = architecture() == Architecture.WORMHOLE_B0 && chips > 1;
        return hasRemoteChips ? chips : 0;
    }
}
