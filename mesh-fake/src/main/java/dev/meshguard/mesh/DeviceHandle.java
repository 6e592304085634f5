package dev.meshguard.mesh;

import java.util.List;

/**
 * What a root mesh and its submeshes hold together to keep devices open; when the last of them lets go, the devices are closed.
 *
 * <p>Guarded by the lock that the meshes share. Source: {@code MeshDevice::ScopedDevices} in
 * {@code tt_metal/distributed/mesh_device.cpp}.
 */
final class DeviceHandle {

    private final List<DeviceOpenPeriod> covered;
    private int holders;

    DeviceHandle(List<DeviceOpenPeriod> covered) {
        this.covered = List.copyOf(covered);
    }

    List<DeviceOpenPeriod> covered() {
        return covered;
    }

    void hold() {
        holders++;
    }

    /** Returns whether the devices are closed when one more holder lets go. */
    boolean hasOneHolder() {
        return holders == 1;
    }

    void release() {
        holders--;
    }
}
