package dev.meshguard.server.ledger.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A death costs as much as the entries of the process, can be carried out in parts, and look-ups show it at once. */
class ServerLedgerTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_123);
    private static final int PROGRAMS = Integer.getInteger("meshguard.programs", 300);

    @Test
    void theDeathOfAProcessCostsWhatItHadWhateverOthersHave() {
        ServerLedger books = new ServerLedger(new DeathListener() {});
        for (int buffer = 0; buffer < 100_000; buffer++) {
            books.allocated(0, BufferType.DRAM, buffer, 64, 1);
        }
        books.allocated(0, BufferType.DRAM, 100_000, 64, 2);

        books.announceDeath(2);

        assertThat(stepsToClean(books, 1000)).isEqualTo(1);
        assertThat(books.entries()).isEqualTo(100_000);
    }

    @Test
    void theDeathOfManyProcessesCostsWhatTheyHad() {
        ServerLedger books = new ServerLedger(new DeathListener() {});
        for (int process = 1; process <= 20_000; process++) {
            books.allocated(0, BufferType.DRAM, process, 64, process);
        }
        long steps = 0;
        for (int process = 1; process <= 20_000; process++) {
            books.announceDeath(process);
            steps += stepsToClean(books, 1000);
        }

        assertThat(steps).isEqualTo(20_000);
        assertThat(books.entries()).isZero();
    }

    @Test
    void theDeathOfThoseWhoShareCostsOneStepForEachReference() {
        ServerLedger books = new ServerLedger(new DeathListener() {});
        int processes = 64;
        int buffers = 2000;
        for (int process = 1; process <= processes; process++) {
            for (int buffer = 0; buffer < buffers; buffer++) {
                books.allocated(buffer % 8, BufferType.L1, buffer, 64, process);
            }
        }
        assertThat(books.shares()).isEqualTo((processes - 1L) * buffers);

        long steps = 0;
        for (int process = 1; process <= processes; process++) {
            assertThat(books.entries()).isEqualTo(buffers);
            books.announceDeath(process);
            steps += stepsToClean(books, 1000);
        }

        assertThat(steps).isEqualTo((long) processes * buffers);
        assertThat(books.entries()).isZero();
        assertThat(books.shares()).isZero();
    }

    @Test
    void whatTheDeadLeftOnADeviceIsTakenOffInPartsToo() {
        ServerLedger books = new ServerLedger(new DeathListener() {});
        for (int buffer = 0; buffer < 5000; buffer++) {
            books.allocated(0, BufferType.DRAM, buffer, 64, 1).hold(BufferType.DRAM);
        }
        books.announceDeath(1);
        books.clean(Integer.MAX_VALUE);
        assertThat(books.addresses()).isEqualTo(5000);

        books.beginOpenPeriod(0);

        assertThat(stepsToClean(books, 100)).isEqualTo(5000);
        assertThat(books.addresses()).isZero();
    }

    private static long stepsToClean(ServerLedger books, int atOnce) {
        long steps = 0;
        while (books.isToBeCleaned()) {
            int left = books.clean(atOnce);
            assertThat(left).isBetween(0, atOnce);
            steps += atOnce - left;
        }
        return steps;
    }

    @Test
    void whoeverLooksInBetweenFindsEverythingDone() {
        for (int program = 0; program < PROGRAMS; program++) {
            long seed = SEED + program;
            Random random = new Random(seed);
            Deaths seenAtOnce = new Deaths();
            Deaths seenInParts = new Deaths();
            ServerLedger atOnce = new ServerLedger(seenAtOnce);
            ServerLedger inParts = new ServerLedger(seenInParts);
            for (int step = 0; step < 300; step++) {
                int device = random.nextInt(2);
                long id = random.nextInt(6);
                long process = 1L + random.nextInt(4);
                String place = "seed " + seed + ", step " + step;
                switch (random.nextInt(8)) {
                    case 0, 1, 2, 3 -> {
                        newLifeIfLeft(atOnce, device, id);
                        newLifeIfLeft(inParts, device, id);
                        long size = 64L + random.nextInt(2);
                        atOnce.allocated(device, BufferType.L1, id, size, process)
                                .hold(BufferType.L1);
                        inParts.allocated(device, BufferType.L1, id, size, process)
                                .hold(BufferType.L1);
                    }
                    case 4, 5 ->
                        assertThat(free(inParts, device, id, process))
                                .as(place)
                                .isEqualTo(free(atOnce, device, id, process));
                    case 6 -> inParts.clean(1);
                    default -> {
                        inParts.announceDeath(process);
                        atOnce.announceDeath(process);
                        atOnce.clean(Integer.MAX_VALUE);
                    }
                }
                assertThat(described(inParts.find(device, id))).as(place).isEqualTo(described(atOnce.find(device, id)));
            }
            inParts.clean(Integer.MAX_VALUE);
            atOnce.clean(Integer.MAX_VALUE);
            assertThat(summary(inParts)).as("seed %d", seed).isEqualTo(summary(atOnce));
            assertThat(seenInParts.finished).as("seed %d", seed).isEqualTo(seenAtOnce.finished);
            assertThat(seenInParts.entries).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(seenAtOnce.entries);
        }
    }

    /** The effects of deaths, in words. */
    private static final class Deaths implements DeathListener {
        private final List<String> entries = new ArrayList<>();
        private final List<String> finished = new ArrayList<>();

        @Override
        public void sharedEntry(BufferRecord record, long process) {
            entries.add(String.format(
                    "%s keeps %d without %d, owner %d",
                    described(record), record.referencesWithout(process), process, record.ownerWithout(process)));
        }

        @Override
        public void finished(long process, long buffers, long bytes) {
            finished.add(process + ": " + buffers + " buffers, " + bytes + " bytes");
        }
    }

    private static void newLifeIfLeft(ServerLedger books, int device, long id) {
        BufferRecord record = books.find(device, id);
        if (record != null && record.isAbandoned()) {
            books.beginOpenPeriod(device);
        }
    }

    private static long free(ServerLedger books, int device, long id, long process) {
        BufferRecord record = books.find(device, id);
        if (record == null || record.references() == 0) {
            return -1;
        }
        long left = books.freed(record, process);
        record.free();
        books.forgetIfOver(record);
        return left;
    }

    private static String described(BufferRecord record) {
        return record == null
                ? "nothing"
                : record.device() + " " + record.id() + ": " + record.references() + " of " + record.owner() + ", "
                        + record.size() + " bytes, held " + record.held() + ", left " + record.isAbandoned();
    }

    private static String summary(ServerLedger books) {
        StringBuilder summary = new StringBuilder();
        summary.append(books.entries())
                .append(" entries, ")
                .append(books.addresses())
                .append(" addresses, ");
        summary.append(books.shares()).append(" shares\n");
        for (int device : books.devices()) {
            summary.append(books.buffers(device))
                    .append(" buffers, ")
                    .append(books.bytes(device))
                    .append(" bytes\n");
            books.records(device)
                    .forEach(record -> summary.append(described(record)).append('\n'));
        }
        for (long process = 1; process <= 4; process++) {
            summary.append(books.hasAnyOf(process)).append(' ');
        }
        return summary.toString();
    }
}
