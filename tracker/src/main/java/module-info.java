/** Records the allocations and frees of every buffer, and judges the history. */
@SuppressWarnings("module") // The users of the internal package are compiled later.
module dev.meshguard.tracker {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.meshguard.event;
    exports dev.meshguard.event.shortage;
    exports dev.meshguard.file;
    exports dev.meshguard.handle;
    exports dev.meshguard.history;
    exports dev.meshguard.history.internal to
            dev.meshguard.server;
    exports dev.meshguard.text;
    exports dev.meshguard.tracker;
    exports dev.meshguard.tracker.internal to
            dev.meshguard.closeables,
            dev.meshguard.junit,
            dev.meshguard.junit.mesh,
            dev.meshguard.mesh,
            dev.meshguard.mockito,
            dev.meshguard.netty;
    exports dev.meshguard.verdict;
    exports dev.meshguard.verdict.baseline;
    exports dev.meshguard.verdict.budget;
    exports dev.meshguard.verdict.difference;
    exports dev.meshguard.verdict.expectation;
    exports dev.meshguard.verdict.growth;

    uses dev.meshguard.tracker.internal.MeshObserver;
    // Whether a line of the log would be written.
    uses org.slf4j.spi.SLF4JServiceProvider;
}
