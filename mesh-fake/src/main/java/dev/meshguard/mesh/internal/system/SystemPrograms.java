package dev.meshguard.mesh.internal.system;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.Owner;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.process.AllOrNothing;
import dev.meshguard.mesh.internal.program.CircularBufferLayout;
import dev.meshguard.mesh.internal.program.CircularBufferPlacement;
import dev.meshguard.mesh.internal.program.KernelBinary;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/**
 * The runtime's own programs on one mesh and on the devices that it was the first to open; see {@link SystemProgram}.
 *
 * <p>Guarded by the lock of the mesh, which callers hold; the mesh that closes a device ends the programs of that device.
 */
public final class SystemPrograms {

    private final MeshContext mesh;
    private final List<SystemProgram> programs;
    private final List<LoadedSystemProgram> queues = new ArrayList<>();

    public SystemPrograms(MeshContext mesh) {
        this.mesh = mesh;
        this.programs = mesh.process().settings().systemPrograms();
    }

    /** Starts those of devices that are initialised. */
    public void startOn(List<DeviceOpenPeriod> initialised) {
        for (DeviceOpenPeriod device : initialised) {
            for (SystemProgram program : programs) {
                if (program.kind() != Owner.Kind.COMMAND_QUEUE) {
                    LoadedSystemProgram loaded = loadOn(device, program);
                    if (program.lifetime() == BufferLifetime.SYSTEM) {
                        device.systemPrograms().add(loaded);
                    }
                }
            }
        }
    }

    /** Starts those of the command queues of the mesh. */
    public void startQueues(int numCommandQueues) {
        for (int queue = 0; queue < numCommandQueues; queue++) {
            for (SystemProgram program : programs) {
                if (program.kind() == Owner.Kind.COMMAND_QUEUE) {
                    LoadedSystemProgram loaded = loadOnMesh(queue, program);
                    if (program.lifetime() == BufferLifetime.SYSTEM) {
                        queues.add(loaded);
                    }
                }
            }
        }
    }

    /** Removes the programs without ending them. */
    public void forget(List<DeviceOpenPeriod> initialised) {
        queues.clear();
        initialised.forEach(device -> device.systemPrograms().clear());
    }

    /** Ends those of the command queues. */
    public void endQueues() {
        queues.forEach(LoadedSystemProgram::end);
        queues.clear();
    }

    /** Ends the programs that a fix ends while the allocators of the devices still exist. */
    public void endBeforeAllocators(List<DeviceOpenPeriod> closing) {
        if (mesh.reports().has(RuntimeFix.CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS)) {
            closing.forEach(device -> end(device, Owner.Kind.DISPATCH));
        }
    }

    /** Ends the programs that {@code Device::close} ends after the device's allocator was destroyed. */
    public void endAfterAllocators(List<DeviceOpenPeriod> closing) {
        for (DeviceOpenPeriod device : closing) {
            end(device, Owner.Kind.ETHERNET_ROUTER);
            end(device, Owner.Kind.DISPATCH);
            if (mesh.reports().has(RuntimeFix.RESET_FABRIC_PROGRAM_ON_CLOSE)) {
                end(device, Owner.Kind.FABRIC);
            }
        }
    }

    private static void end(DeviceOpenPeriod device, Owner.Kind kind) {
        if (device.systemPrograms().isEmpty()) {
            return;
        }
        List<DeviceOpenPeriod.LoadedProgram> ending = device.systemPrograms().stream()
                .filter(program -> program.owner().kind() == kind)
                .toList();
        device.systemPrograms().removeAll(ending);
        ending.forEach(DeviceOpenPeriod.LoadedProgram::end);
    }

    private LoadedSystemProgram loadOn(DeviceOpenPeriod device, SystemProgram program) {
        Owner owner = new Owner(program.kind(), InvariantText.of("device %d", device.device()));
        return load(
                program,
                owner,
                List.of(device),
                (binary, details) -> mesh.memory().allocateOnDevice(device.device(), binary, details));
    }

    private LoadedSystemProgram loadOnMesh(int queue, SystemProgram program) {
        Owner owner = new Owner(program.kind(), InvariantText.of("%d of mesh %d", queue, mesh.id()));
        List<DeviceOpenPeriod> devices = mesh.reports().circularBufferDevices().stream()
                .map(mesh::openPeriodOf)
                .toList();
        return load(program, owner, devices, mesh.memory()::allocateOnMesh);
    }

    /** Allocates all resources of a program, or none. */
    private LoadedSystemProgram load(
            SystemProgram program,
            Owner owner,
            List<DeviceOpenPeriod> devices,
            BiFunction<BufferConfig, AllocationDetails, Allocation> allocator) {
        CircularBufferPlacement circularBuffers = place(program, owner, devices);
        AllocationDetails details = AllocationDetails.system(owner).withLifetime(program.lifetime());
        List<Allocation> binaries = new ArrayList<>(1);
        Runnable loading = () -> {
            if (program.kernelBinaryPages() > 0) {
                long size = program.kernelBinaryPages() * KernelBinary.PAGE_SIZE;
                binaries.add(allocator.apply(KernelBinary.ofSize(size), details));
            }
        };
        AllOrNothing.run(loading, () -> circularBuffers.end(ReleaseReason.DIED));
        return new LoadedSystemProgram(mesh, owner, binaries, circularBuffers);
    }

    private CircularBufferPlacement place(SystemProgram program, Owner owner, List<DeviceOpenPeriod> devices) {
        CoreRangeSet grid = CoreRangeSet.of(mesh.computeGrid());
        List<CircularBufferLayout.Item> items = program.circularBuffers().stream()
                .map(size -> new CircularBufferLayout.Item(grid, size))
                .toList();
        CircularBufferLayout layout = CircularBufferLayout.of(0, items, mesh.architecture(), mesh.l1Base());
        layout.requireRoom(OptionalLong.empty(), owner, List::of);
        AllocationDetails details = AllocationDetails.circularBuffer(owner).withLifetime(program.lifetime());
        return CircularBufferPlacement.report(mesh, layout, details, devices, this);
    }
}
