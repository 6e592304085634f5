package dev.meshguard.server.ledger.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A dead process leaves the ledger with its references, and others keep theirs. */
class ServerLedgerTests {

    private final ServerLedger books = new ServerLedger();

    @Test
    void theDeathOfAProcessRemovesWhatItHadWhateverOthersHave() {
        for (int buffer = 0; buffer < 100_000; buffer++) {
            books.allocated(0, BufferType.DRAM, buffer, 64, 1);
        }
        books.allocated(0, BufferType.DRAM, 100_000, 128, 2);

        assertThat(died(2)).isEqualTo(new RemovedEntries(1, 128));
        assertThat(books.entries()).isEqualTo(100_000);
        assertThat(books.hasAnyOf(2)).isFalse();
        assertThat(died(2)).isEqualTo(new RemovedEntries(0, 0));
    }

    @Test
    void ofThoseWhoShareTheLastOneRemovesTheEntries() {
        int processes = 64;
        int buffers = 2000;
        for (int process = 1; process <= processes; process++) {
            for (int buffer = 0; buffer < buffers; buffer++) {
                books.allocated(buffer % 8, BufferType.L1, buffer, 64, process);
            }
        }
        assertThat(books.shares()).isEqualTo((processes - 1L) * buffers);

        for (int process = 1; process < processes; process++) {
            List<Long> heirs = new ArrayList<>();
            long dead = process;
            RemovedEntries removed = books.died(dead, record -> heirs.add(record.ownerWithout(dead)));

            assertThat(removed).isEqualTo(new RemovedEntries(0, 0));
            assertThat(heirs).hasSize(buffers).containsOnly(dead + 1);
            assertThat(books.entries()).isEqualTo(buffers);
        }
        assertThat(died(processes)).isEqualTo(new RemovedEntries(buffers, 64L * buffers));
        assertThat(books.entries()).isZero();
        assertThat(books.shares()).isZero();
    }

    @Test
    void whatTheDeadLeftOnADeviceEndsWithItsOpenPeriod() {
        for (int buffer = 0; buffer < 5000; buffer++) {
            books.allocated(buffer % 2, BufferType.DRAM, buffer, 64, 1).hold(BufferType.DRAM);
        }
        died(1);
        assertThat(books.addresses()).isEqualTo(5000);
        assertThat(books.find(0, 0)).matches(BufferRecord::isAbandoned);

        books.beginOpenPeriod(0);

        assertThat(books.addresses()).isEqualTo(2500);
        assertThat(books.find(0, 0)).isNull();
        assertThat(books.find(1, 1)).matches(BufferRecord::isAbandoned);
    }

    private RemovedEntries died(long process) {
        return books.died(process, record -> {});
    }
}
