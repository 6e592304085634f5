/** The HTML pages of runs. */
module dev.meshguard.page {
    requires com.fasterxml.jackson.core;
    requires gg.jte.runtime;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires transitive dev.meshguard.report;
    requires transitive dev.meshguard.tracker;

    exports dev.meshguard.page;

    provides dev.meshguard.report.FailureOutput with
            dev.meshguard.page.internal.output.PageOutput;
}
