/** Other processes as a source of the JUnit extension. */
module dev.meshguard.junit.processes {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.junit;
    requires transitive dev.meshguard.server;
    requires transitive dev.meshguard.tracker;
    requires transitive org.junit.jupiter.api;
    requires org.junit.platform.commons;

    exports dev.meshguard.junit.processes;

    provides dev.meshguard.junit.source.AllocationSource with
            dev.meshguard.junit.processes.WatchedProcessesSource;
}
