/** From a recorded history to a small test that fails the same way. */
module dev.meshguard.reproduce {
    requires java.compiler;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.reproduce;
    exports dev.meshguard.reproduce.minimize;
}
