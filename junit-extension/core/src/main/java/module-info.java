/** Tracks the allocations of JUnit Jupiter tests. */
@SuppressWarnings("module") // A source is compiled after the core.
module dev.meshguard.junit {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires transitive dev.meshguard.assertions;
    requires transitive dev.meshguard.report;
    requires transitive dev.meshguard.tracker;
    requires transitive org.assertj.core;
    requires transitive org.opentest4j;
    requires transitive org.junit.jupiter.api;
    requires org.junit.platform.commons;

    exports dev.meshguard.junit;
    exports dev.meshguard.junit.source;
    exports dev.meshguard.junit.template;
    exports dev.meshguard.junit.internal to
            dev.meshguard.arrow,
            dev.meshguard.closeables,
            dev.meshguard.junit.mesh,
            dev.meshguard.netty;
    exports dev.meshguard.junit.internal.template to
            dev.meshguard.junit.mesh;

    uses dev.meshguard.report.FailureOutput;
    uses dev.meshguard.junit.source.AllocationSource;

    provides org.junit.jupiter.api.extension.Extension with
            dev.meshguard.junit.MeshGuardExtension;
    provides dev.meshguard.tracker.internal.MeshObserver with
            dev.meshguard.junit.internal.thread.OpenedMeshes;

    // Jupiter makes the extensions through their private constructors.
    opens dev.meshguard.junit to
            org.junit.platform.commons;
    opens dev.meshguard.junit.template to
            org.junit.platform.commons;
    // The listener of meshguard-junit-summary, which is no module, announces tests.
    opens dev.meshguard.junit.internal.thread;
}
