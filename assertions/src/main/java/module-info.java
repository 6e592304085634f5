/** AssertJ assertions over tracker, history, verdict and mesh. */
module dev.meshguard.assertions {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.mesh;
    requires transitive dev.meshguard.report;
    requires transitive dev.meshguard.tracker;
    requires transitive org.assertj.core;
    requires transitive org.opentest4j;

    exports dev.meshguard.assertions;
}
