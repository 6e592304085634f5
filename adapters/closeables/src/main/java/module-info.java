/** Handles of native memory of any Java library as a source of the JUnit extension. */
@SuppressWarnings("module") // The adapters that may see the weaver are compiled later.
module dev.meshguard.closeables {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.junit;
    requires dev.meshguard.tracker;
    requires java.instrument;
    requires java.management;
    requires net.bytebuddy;
    requires net.bytebuddy.agent;

    exports dev.meshguard.closeables;
    exports dev.meshguard.weave to
            dev.meshguard.arrow,
            dev.meshguard.netty;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.closeables.NativeHandlesSource,
            dev.meshguard.closeables.DirectMemorySource,
            dev.meshguard.closeables.TrackedCloseablesSource;
}
