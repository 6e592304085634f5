/** Records the allocations and frees of every buffer, and judges the history. */
module dev.meshguard.tracker {
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports dev.meshguard.event;
    exports dev.meshguard.file;
    exports dev.meshguard.handle;
    exports dev.meshguard.history;
    exports dev.meshguard.tracker;
    exports dev.meshguard.verdict;
    exports dev.meshguard.verdict.baseline;
    exports dev.meshguard.verdict.budget;
    exports dev.meshguard.verdict.difference;
    exports dev.meshguard.verdict.expectation;
    exports dev.meshguard.verdict.growth;
}
