package dev.meshguard.mesh.internal.program;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The circular buffers of one owner as one mesh reported them. Used under the monitor of its owner.
 */
public final class CircularBufferPlacement {

    private final MeshContext mesh;
    private final List<Reported> buffers;
    private final Set<DeviceOpenPeriod> devices;

    private CircularBufferPlacement(MeshContext mesh, List<Reported> buffers, Set<DeviceOpenPeriod> devices) {
        this.mesh = mesh;
        this.buffers = buffers;
        this.devices = devices;
    }

    /** Reports the buffers of a layout on some devices, buffer by buffer. */
    public static CircularBufferPlacement report(
            MeshContext mesh,
            CircularBufferLayout layout,
            AllocationDetails details,
            List<DeviceOpenPeriod> devices,
            Object handle) {
        List<Reported> buffers = new ArrayList<>();
        for (CircularBufferLayout.Placed placed : layout.placed()) {
            long size = placed.item().size();
            AllocationDetails complete = details.withExtent(size);
            mesh.reports().circularBufferAllocated(complete, idsOf(devices), placed.address(), size, handle);
            buffers.add(new Reported(complete, placed.address()));
        }
        return new CircularBufferPlacement(mesh, buffers, new LinkedHashSet<>(devices));
    }

    MeshContext mesh() {
        return mesh;
    }

    boolean covers(DeviceOpenPeriod device) {
        return devices.contains(device);
    }

    boolean isEmpty() {
        return devices.isEmpty();
    }

    /** Reports the end of the buffers on some of the devices, while their owner lives on. */
    void withdraw(Collection<DeviceOpenPeriod> from) {
        List<DeviceOpenPeriod> leaving = devices.stream().filter(from::contains).toList();
        for (Reported buffer : buffers) {
            if (!leaving.isEmpty()) {
                mesh.reports().circularBufferReplaced(buffer.details(), idsOf(leaving), buffer.address());
            }
        }
        leaving.forEach(devices::remove);
    }

    /** Reports that the buffers are gone because their owner is. */
    public void end(ReleaseReason ending) {
        for (Reported buffer : buffers) {
            AllocationDetails details =
                    ending == ReleaseReason.COLLECTED ? buffer.details().ofCollectedHandle() : buffer.details();
            mesh.reports().circularBufferFreed(details, idsOf(List.copyOf(devices)), buffer.address());
        }
    }

    private static List<Integer> idsOf(List<DeviceOpenPeriod> devices) {
        return devices.stream().map(DeviceOpenPeriod::device).toList();
    }

    private record Reported(AllocationDetails details, long address) {}
}
