/** The reports of a verdict. */
@SuppressWarnings("module")
module dev.meshguard.report {
    requires com.fasterxml.jackson.core;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.report;
    exports dev.meshguard.report.findings;
    exports dev.meshguard.report.internal to
            dev.meshguard.cli,
            dev.meshguard.page;
    exports dev.meshguard.report.json;
    exports dev.meshguard.report.summary;
}
