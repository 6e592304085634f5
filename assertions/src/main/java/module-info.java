/** AssertJ assertions over trackers, histories and verdicts. */
module dev.meshguard.assertions {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.report;
    requires transitive dev.meshguard.tracker;
    requires transitive org.assertj.core;
    requires transitive org.opentest4j;

    exports dev.meshguard.assertions;
}
