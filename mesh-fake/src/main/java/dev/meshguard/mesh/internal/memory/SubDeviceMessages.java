package dev.meshguard.mesh.internal.memory;

import dev.meshguard.mesh.SubDeviceManagerId;
import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.Locale;

/**
 * The texts of the runtime's sub-device managers, verbatim.
 *
 * <p>Source: {@code tt_metal/impl/sub_device/{sub_device_manager,sub_device_manager_tracker}.cpp}, and for programs on
 * sub-devices {@code tt_metal/impl/buffers/dispatch.cpp}.
 */
public final class SubDeviceMessages {

    static final String SEVERAL_SUB_DEVICES = "Programs must be executed on a single sub-device";
    static final String KERNELS_OUTSIDE_SUB_DEVICES =
            "Kernel group cores do not match sub device cores for programmable core type TENSIX";
    static final String SWITCH_WITH_ALLOCATIONS =
            "Cannot switch sub device managers while sub devices still have local allocations";
    static final String NO_SUCH_MANAGER = "Sub device manager does not exist";
    static final String INTERSECTING_SUB_DEVICES = "SubDevices specified for SubDeviceManager intersect";
    static final String NO_LOCAL_ALLOCATOR = "SubDevice allocator not initialized";
    /** The runtime's text where it sets the stall group of a new manager, which are all of its sub-devices. */
    static final String NO_SUB_DEVICES = "sub_device_ids to stall must not be empty";

    private SubDeviceMessages() {}

    static String cannotRemoveActiveManager(SubDeviceManagerId manager) {
        return String.format(Locale.ROOT, "Cannot remove active sub device manager %d", manager.value());
    }

    static String cannotRemoveDefaultManager(SubDeviceManagerId manager) {
        return String.format(Locale.ROOT, "Cannot remove default sub device manager %d", manager.value());
    }

    static String tooManySubDevices(int number, int most) {
        return String.format(
                Locale.ROOT,
                "Number of sub-devices specified %d is larger than the max number of sub-devices %d",
                number,
                most);
    }

    static String subDeviceOutsideGrid(Object cores, Object grid) {
        return String.format(
                Locale.ROOT, "Tensix cores %s specified in sub device must be within device grid %s", cores, grid);
    }

    static String subDeviceOutOfBounds(SubDeviceId subDevice, int number) {
        return String.format(Locale.ROOT, "SubDevice index %d out of bounds %d", subDevice.value(), number);
    }

    static String managerMismatch(SubDeviceManagerId ofBuffer, SubDeviceManagerId active) {
        return String.format(
                Locale.ROOT,
                "Sub-device manager id mismatch. Buffer sub-device manager id: %d,"
                        + " Device active sub-device manager id: %d",
                ofBuffer.value(),
                active.value());
    }
}
