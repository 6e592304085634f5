/** The allocation server for reports of real processes, its client, and its logs. */
module dev.meshguard.server {
    requires com.fasterxml.jackson.core;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.capture;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.server;
    exports dev.meshguard.server.client;
    exports dev.meshguard.server.log;
    exports dev.meshguard.server.process;
    exports dev.meshguard.server.protocol;
}
