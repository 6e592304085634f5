package dev.meshguard.netty;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the leak detector of Netty before any test class is loaded, unless Netty is too old.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class NettySessionListener implements LauncherSessionListener {

    /** Called by {@link java.util.ServiceLoader}. */
    public NettySessionListener() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (NettyVersion.isSupported(NettySessionListener.class.getClassLoader())) {
            DetectorFactory.install();
        }
    }
}
