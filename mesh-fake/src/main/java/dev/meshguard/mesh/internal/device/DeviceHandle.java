package dev.meshguard.mesh.internal.device;

import java.util.List;

/**
 * The shared handle of a root mesh and its submeshes that keeps devices open. The devices close when the last mesh releases it.
 *
 * <p>Guarded by the lock that the meshes share. Source: {@code MeshDevice::ScopedDevices} in
 * {@code tt_metal/distributed/mesh_device.cpp}.
 */
public final class DeviceHandle {

    private final List<DeviceOpenPeriod> covered;
    private int holders;

    DeviceHandle(List<DeviceOpenPeriod> covered) {
        this.covered = List.copyOf(covered);
    }

    public List<DeviceOpenPeriod> covered() {
        return covered;
    }

    public void hold() {
        holders++;
    }

    /** Returns whether the devices close when one more mesh releases the handle. */
    public boolean hasOneHolder() {
        return holders == 1;
    }

    public void release() {
        holders--;
    }
}
