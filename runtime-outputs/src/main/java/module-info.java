/** Files that the real runtime writes, read as histories. */
@SuppressWarnings("module") // The user of the internal package is compiled later.
module dev.meshguard.capture {
    requires com.fasterxml.jackson.core;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.tracker;
    // A user who reads databases adds them.
    requires static java.sql;
    requires static org.xerial.sqlitejdbc;

    exports dev.meshguard.capture;
    exports dev.meshguard.capture.evidence;
    exports dev.meshguard.capture.evidence.internal to
            dev.meshguard.cli,
            dev.meshguard.server;
    exports dev.meshguard.capture.compression.internal to
            dev.meshguard.cli,
            dev.meshguard.server;
}
