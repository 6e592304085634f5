/** How real processes report: the logs of the field's allocation server. */
module dev.meshguard.server {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.tracker;
    // Who reads logs that are compressed with zstd brings it.
    requires static com.github.luben.zstd_jni;

    exports dev.meshguard.server.log;
}
