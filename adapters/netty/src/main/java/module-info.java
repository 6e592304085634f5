/** Buffers of Netty as a source of the JUnit extension. */
module dev.meshguard.netty {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires dev.meshguard.closeables;
    requires io.netty.common;
    requires transitive dev.meshguard.junit;
    requires transitive dev.meshguard.tracker;
    requires transitive io.netty.buffer;
    requires transitive org.junit.platform.launcher;

    exports dev.meshguard.netty;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.netty.NettySource;
    provides org.junit.platform.launcher.LauncherSessionListener with
            dev.meshguard.netty.NettySessionListener;
}
