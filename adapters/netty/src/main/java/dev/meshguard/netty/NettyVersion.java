package dev.meshguard.netty;

import dev.meshguard.junit.internal.MinimumVersions;

/** Checks the version of Netty, which the build of a user chooses, before classes are loaded that an older one does not have. */
final class NettyVersion {

    private static final String OLDEST = "Netty 4.1.35";

    /** The class that Netty added last, in 4.1.35, of those that this module uses. */
    private static final String NEEDED = "io.netty.util.internal.ThreadExecutorMap";

    private static final String ANY = "io.netty.util.ReferenceCounted";

    private NettyVersion() {}

    static boolean isSupported(ClassLoader netty) {
        try {
            Class.forName(NEEDED, false, netty);
            return true;
        } catch (ClassNotFoundException isOlder) {
            return false;
        }
    }

    /**
     * Fails if Netty is too old, or not there.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if it is
     */
    static void require(ClassLoader netty) {
        MinimumVersions.requireLibrary(isSupported(netty), OLDEST, ANY, netty, "io.netty:netty-bom");
    }
}
