package dev.meshguard.mesh;

import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.List;

/**
 * Programs on their way through a command queue: a workload for the mesh, or one program for one device.
 *
 * <p>Used under the lock of the mesh.
 */
sealed interface EnqueuedWork {

    /** Returns whether every kernel binary that it needs is on the devices. */
    boolean isLoaded();

    /** Allocates the memory of the programs if they have none. */
    void load();

    /** Returns the sub-device that all programs run on. */
    SubDeviceId subDevice();

    /** Adds the commands of one run to a trace. */
    void recordIn(MeshTrace trace);

    /** A workload. */
    record OnMesh(MeshWorkload workload, MeshDevice mesh) implements EnqueuedWork {

        @Override
        public boolean isLoaded() {
            return workload.isLoaded();
        }

        @Override
        public void load() {
            workload.enqueueOn(mesh);
        }

        @Override
        public SubDeviceId subDevice() {
            return workload.subDeviceOn(mesh);
        }

        @Override
        public void recordIn(MeshTrace trace) {
            workload.recordIn(trace, mesh);
        }
    }

    /** A single program, which ignores the sub-devices of the mesh and uses the device as a whole. */
    record OnOneDevice(Program program, MeshDevice mesh, int device) implements EnqueuedWork {

        @Override
        public boolean isLoaded() {
            return program.isLoadedOn(mesh.openPeriodOf(device));
        }

        @Override
        public void load() {
            program.enqueueOn(mesh, device);
        }

        @Override
        public SubDeviceId subDevice() {
            return new SubDeviceId(0);
        }

        @Override
        public void recordIn(MeshTrace trace) {
            trace.add(program, List.of(device));
        }
    }
}
