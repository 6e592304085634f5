/** Memory of Apache Arrow as a source of the JUnit extension. */
module dev.meshguard.arrow {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires dev.meshguard.closeables;
    requires transitive dev.meshguard.junit;
    requires transitive dev.meshguard.tracker;
    requires transitive org.apache.arrow.memory.core;

    exports dev.meshguard.arrow;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.arrow.ArrowSource;
}
