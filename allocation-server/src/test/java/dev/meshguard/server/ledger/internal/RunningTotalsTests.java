package dev.meshguard.server.ledger.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Circular buffers and kernels of a dead process leave the sums at once, and the ledger in parts. */
class RunningTotalsTests {

    private final RunningTotals reports = new RunningTotals();

    @Test
    void theSumsAreWithoutADeadProcessAtOnce() {
        add(1, 64, 100);
        add(2, 64, 30);
        add(1, 128, 7);

        assertThat(reports.announceDeath(1)).isEqualTo(new RunningTotals.Death(2, 107));

        assertThat(reports.bytes(0)).isEqualTo(30);
        assertThat(reports.hasAnyOf(1)).isFalse();
        assertThat(reports.isKnown(0, 128)).isFalse();
        assertThat(reports.isKnown(0, 64)).isTrue();
        assertThat(reports.removed(0, 64, 100)).isEqualTo(30);
        assertThat(reports.bytes(0)).isZero();
    }

    @Test
    void aDeathCostsWhatTheProcessHad() {
        for (int id = 0; id < 10_000; id++) {
            add(1, id, 1);
            add(2, 64, 1);
        }
        add(3, 5, 1);
        reports.announceDeath(3);
        assertThat(reports.clean(1000)).isEqualTo(999);
        assertThat(reports.isKnown(0, 5)).isTrue();
        assertThat(reports.count()).isEqualTo(20_000);

        reports.announceDeath(2);
        int slices = 0;
        while (reports.isToBeCleaned()) {
            reports.clean(1000);
            slices++;
        }

        assertThat(slices).isBetween(10, 11);
        assertThat(reports.count()).isEqualTo(10_000);
        assertThat(reports.bytes(0)).isEqualTo(10_000);
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
