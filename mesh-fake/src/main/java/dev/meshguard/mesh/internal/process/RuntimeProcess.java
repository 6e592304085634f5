package dev.meshguard.mesh.internal.process;

import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.TraceId;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarner;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import dev.meshguard.mesh.internal.device.DeviceManager;
import dev.meshguard.mesh.internal.fault.FaultInjector;
import dev.meshguard.mesh.runtime.Architecture;
import dev.meshguard.mesh.shape.SystemMesh;
import dev.meshguard.text.InvariantText;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that the real runtime keeps once per process: its settings, counters and devices.
 *
 * <p>Counters never restart, as in the runtime (quirk Q12). Safe for use by several threads. One lock guards the devices. A
 * thread that holds the lock of a mesh may acquire it, but never the other way round.
 */
@NotSearched
public final class RuntimeProcess {

    private final RuntimeSettings settings;
    private final FaultInjector faults;
    private final StrictModeChecks misuse;
    private final SystemMesh systemMesh;
    private final UnsafeAllocationWarner unsafeAllocations = UnsafeAllocationWarner.toLog();
    private final AtomicInteger meshes = new AtomicInteger();
    private final AtomicInteger programs = new AtomicInteger();
    private final AtomicInteger traces = new AtomicInteger();
    private final AtomicInteger subDeviceManagers = new AtomicInteger();
    private final AtomicInteger globalSemaphores = new AtomicInteger();

    private final Object lock = new Object();
    private final DeviceManager devices;
    private volatile @Nullable String retiredBecause;

    public RuntimeProcess(RuntimeSettings settings) {
        this.settings = settings;
        this.systemMesh = new SystemMesh(settings.systemMesh());
        this.faults = new FaultInjector(settings.faults());
        this.misuse = new StrictModeChecks(settings.isStrict());
        this.devices = new DeviceManager(activatedTogether(), systemMesh.shape().meshSize(), faults, misuse);
    }

    public RuntimeSettings settings() {
        return settings;
    }

    public FaultInjector faults() {
        return faults;
    }

    public StrictModeChecks misuse() {
        return misuse;
    }

    public Architecture architecture() {
        return settings.cluster().architecture();
    }

    /** Returns the cores of each chip that remain for programs. */
    public CoreRange computeGrid() {
        return settings.cluster().computeGrid();
    }

    public SystemMesh systemMesh() {
        return systemMesh;
    }

    public UnsafeAllocationWarner unsafeAllocations() {
        return unsafeAllocations;
    }

    public int nextMeshId() {
        return meshes.getAndIncrement();
    }

    public int nextProgramId() {
        return programs.incrementAndGet();
    }

    public TraceId nextTraceId() {
        return new TraceId(traces.getAndIncrement());
    }

    public SubDeviceManagerId nextSubDeviceManagerId() {
        return new SubDeviceManagerId(subDeviceManagers.getAndIncrement());
    }

    public int nextGlobalSemaphoreId() {
        return globalSemaphores.incrementAndGet();
    }

    /** Runs work on the devices. */
    public <T> T withDevices(Function<DeviceManager, T> work) {
        synchronized (lock) {
            return work.apply(devices);
        }
    }

    public void retire(String because) {
        synchronized (lock) {
            retiredBecause = because;
        }
    }

    /**
     * Returns why the runtime opens no more meshes, if so. It needs no lock, because a thread that closes a mesh may hold it.
     */
    public Optional<String> retiredBecause() {
        return Optional.ofNullable(retiredBecause);
    }

    public void requireInService(Supplier<String> wanted) {
        synchronized (lock) {
            if (retiredBecause != null) {
                throw new IllegalStateException(InvariantText.of("Cannot open %s: %s", wanted.get(), retiredBecause));
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
