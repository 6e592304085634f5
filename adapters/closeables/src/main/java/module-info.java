/** Handles of native memory of any Java library as a source of the JUnit extension. */
module dev.meshguard.closeables {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.junit;
    requires dev.meshguard.tracker;

    exports dev.meshguard.closeables;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.closeables.CloseablesSource;
}
