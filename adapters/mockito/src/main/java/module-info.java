/** Reports of a user's mocked device interface to a tracker. */
module dev.meshguard.mockito {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.tracker;
    requires transitive org.mockito;

    exports dev.meshguard.mockito;
}
