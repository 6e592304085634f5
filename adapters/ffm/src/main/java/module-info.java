/** Arenas of the foreign function and memory API as a source of the JUnit extension. */
module dev.meshguard.ffm {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.junit;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.ffm;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.ffm.FfmSource;
}
