package dev.meshguard.server.ledger.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Circular buffers and kernels of a dead process leave the sums and the ledger. */
class RunningTotalsTests {

    private final RunningTotals reports = new RunningTotals();

    @Test
    void theSumsAreWithoutADeadProcess() {
        add(1, 64, 100);
        add(2, 64, 30);
        add(1, 128, 7);

        assertThat(reports.died(1)).isEqualTo(new RemovedEntries(2, 107));

        assertThat(reports.bytes(0)).isEqualTo(30);
        assertThat(reports.hasAnyOf(1)).isFalse();
        assertThat(reports.isKnown(0, 128)).isFalse();
        assertThat(reports.isKnown(0, 64)).isTrue();
        assertThat(reports.removed(0, 64, 100)).isEqualTo(30);
        assertThat(reports.bytes(0)).isZero();
    }

    @Test
    void aDeathRemovesTheReportsOfOneIdWithoutThoseOfOthers() {
        for (int id = 0; id < 10_000; id++) {
            add(1, id, 1);
            add(2, 64, 1);
        }

        assertThat(reports.died(2)).isEqualTo(new RemovedEntries(10_000, 10_000));

        assertThat(reports.count()).isEqualTo(10_000);
        assertThat(reports.bytes(0)).isEqualTo(10_000);
        assertThat(reports.died(2)).isEqualTo(new RemovedEntries(0, 0));
    }

    @Test
    void ofSeveralReportsTheOneOfTheSizeIsTakenOffOrElseTheLatest() {
        add(1, 64, 100);
        add(1, 64, 30);
        add(1, 64, 7);

        assertThat(reports.removed(0, 64, 30)).isEqualTo(30);
        assertThat(reports.removed(0, 64, 5)).isEqualTo(7);
        assertThat(reports.removed(0, 64, 5)).isEqualTo(100);
        assertThat(reports.removed(0, 64, 5)).isZero();
        assertThat(reports.count()).isZero();
    }

    private void add(long process, long id, long size) {
        reports.added(new RunningTotals.Entry(0, id, size, 0, process, 0));
    }
}
