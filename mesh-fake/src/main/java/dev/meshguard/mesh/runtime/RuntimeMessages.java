package dev.meshguard.mesh.runtime;

/**
 * The texts of the runtime about dispatch cores, verbatim.
 *
 * <p>Source: {@code ttnn/ttnn/device.py}.
 */
final class RuntimeMessages {

    static final String NO_COLUMN_OF_ETHERNET_CORES = "COL axis is not supported for ETH dispatch core type";
    static final String NO_ROW_ON_BLACKHOLE =
            "ROW dispatch core axis is not supported for blackhole arch unless fabric tensix MUX is enabled";

    private RuntimeMessages() {}
}
