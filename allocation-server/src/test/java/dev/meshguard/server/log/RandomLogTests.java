package dev.meshguard.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Logs of random runs reproduce the run, and random damage causes no failure; rerun a seed with
 * {@code -Dmeshguard.seed=…}.
 */
class RandomLogTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);
    private static final int OPERATIONS = Integer.getInteger("meshguard.operations", 25_000);
    private static final long[] SIZES = {64, 2048, 4096, 36_864, 12_503_040, 100_000_000, 1_073_741_824};
    private static final int OPERATIONS_OF_A_LOG = 400;

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServersLogReadsBackAsWhatItReceived(boolean hexadecimal) {
        for (int run = 0; run < OPERATIONS / OPERATIONS_OF_A_LOG; run++) {
            SmallServer server = new SmallServer(hexadecimal);
            run(server);
            ParsedLog log = Logs.of(server.lines().toArray(String[]::new));

            assertThat(reports(log)).as("seed %d, run %d", SEED, run).isEqualTo(server.truth());
            assertThat(log.history().live()).as("seed %d, run %d", SEED, run).hasSize(server.entries());
            assertThat(log.history().ledgerEntries()).isEqualTo(server.entries());
            assertThat(Logs.losses(log)).as("seed %d, run %d", SEED, run).isEmpty();
            assertThat(log.differingStatistics()).isZero();
            assertThat(log.unread().count()).isZero();
        }
    }

    @Test
    void aLogWithoutReferencesReadsBackAsWhatTheServerReceived() {
        for (int run = 0; run < OPERATIONS / OPERATIONS_OF_A_LOG; run++) {
            SmallServer server = SmallServer.withoutReferences();
            run(server);
            ParsedLog log = Logs.of(server.lines().toArray(String[]::new));

            assertThat(reports(log)).as("seed %d, run %d", SEED, run).isEqualTo(server.truth());
            assertThat(Logs.losses(log)).as("seed %d, run %d", SEED, run).isEmpty();
            assertThat(log.unread().count()).isZero();
        }
    }

    @Test
    void aLogThatFreesAllIsNotCleanOnceALineIsRemoved() {
        for (int run = 0; run < OPERATIONS / OPERATIONS_OF_A_LOG; run++) {
            SmallServer server = new SmallServer(random.nextBoolean());
            runWithoutStrayFrees(server);
            server.freeAll();
            server.statistics();
            List<String> lines = new ArrayList<>(server.lines());
            assertThat(outcome(lines)).as("seed %d, run %d", SEED, run).isEqualTo(Outcome.LEAK_FREE);

            String taken = takeOneReportOut(lines);

            assertThat(outcome(lines))
                    .as("seed %d, run %d, without %s", SEED, run, taken)
                    .isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
        }
    }

    @Test
    void ofManyAddressesThoseThatAreInUseAreNotBalanced() {
        SmallServer server = new SmallServer(true);
        for (int id = 1; id <= 20_000; id++) {
            server.allocate(1, 0, BufferType.L1, id, 64);
            if (id % 1000 != 0) {
                server.free(1, 0, id);
            }
        }

        ParsedLog log = Logs.of(String.join("\n", server.lines()), Logs.STOPPED);

        assertThat(log.addresses()).hasSize(20_000);
        assertThat(log.addresses())
                .filteredOn(use -> use.surplus() != 0)
                .hasSize(20)
                .extracting(AddressUse::address)
                .allMatch(id -> id % 1000 == 0);
        assertThat(Logs.verdictOn(log).sum()).isEqualTo(new LeakVerdict.Sum(20_000, 19_980, 0, 20, 0, 0, 0));
    }

    @Test
    void noDamageMakesTheReaderFailOrInventABuffer() {
        for (int run = 0; run < OPERATIONS / 200; run++) {
            SmallServer server = new SmallServer(random.nextBoolean());
            run(server, 40);
            byte[] log = String.join("\n", server.lines()).getBytes(StandardCharsets.UTF_8);
            long allocations = server.truth().stream()
                    .filter(line -> line.startsWith("allocated"))
                    .count();
            byte[] damaged = damaged(log);

            assertThatCode(() -> {
                        ParsedLog read = Logs.ofBytes(damaged);
                        Logs.verdictOn(read);
                        assertThat(read.history().events().stream()
                                        .filter(HistoryEvent.Allocated.class::isInstance)
                                        .count())
                                .isLessThanOrEqualTo(allocations);
                    })
                    .as("seed %d, run %d", SEED, run)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void noRandomWordsMakeTheReaderFail() {
        String[] words = (String.join("\n", LogFuzzTests.LINES)
                        + " ...\n -1 1e999 99999999999999999999 0xffffffffffffffff) \r \0 \t")
                .split("(?<=[ (=\n])|(?=[]),:.])", -1);
        for (int run = 0; run < OPERATIONS / 50; run++) {
            StringBuilder text = new StringBuilder();
            for (int word = random.nextInt(60); word > 0; word--) {
                text.append(words[random.nextInt(words.length)]);
            }

            assertThatCode(() -> Logs.verdictOn(Logs.ofText(text.toString())))
                    .as("seed %d, run %d: %s", SEED, run, text)
                    .doesNotThrowAnyException();
        }
    }

    private static Outcome outcome(List<String> lines) {
        return Logs.verdictOn(Logs.of(lines.toArray(String[]::new))).outcome();
    }

    private String takeOneReportOut(List<String> lines) {
        int line = random.nextInt(lines.size());
        while (!lines.get(line).contains("[PID ")) {
            line = (line + 1) % lines.size();
        }
        return lines.remove(line);
    }

    private void runWithoutStrayFrees(SmallServer server) {
        for (int operation = 0; operation < OPERATIONS_OF_A_LOG; operation++) {
            int device = random.nextInt(8);
            long id = 4096L * (1 + random.nextInt(6));
            if (server.knows(device, id) && random.nextInt(3) > 0) {
                server.free(1, device, id);
            } else {
                server.allocate(1 + random.nextInt(3), device, BufferType.L1, id, SIZES[random.nextInt(SIZES.length)]);
            }
        }
    }

    /** Begins with an allocation at each address, so that the type of each free of nothing is known. */
    private void run(SmallServer server) {
        for (long page = 1; page <= 6; page++) {
            for (long id : new long[] {4096 * page, 4096 * page + 0xffff_0000_0000L}) {
                server.allocate(1, 0, typeOf(id), id, 64);
            }
        }
        run(server, OPERATIONS_OF_A_LOG);
    }

    private void run(SmallServer server, int operations) {
        for (int operation = 0; operation < operations; operation++) {
            int device = random.nextInt(8);
            long id = 4096L * (1 + random.nextInt(6)) + (random.nextInt(5) == 0 ? 0xffff_0000_0000L : 0);
            int choice = random.nextInt(100);
            if (choice < 50) {
                server.allocate(1 + random.nextInt(3), device, typeOf(id), id, SIZES[random.nextInt(SIZES.length)]);
            } else if (choice < 96) {
                server.free(1 + random.nextInt(3), device, id);
            } else if (choice < 98) {
                server.statistics();
            } else {
                server.dump();
            }
        }
    }

    private static BufferType typeOf(long id) {
        return BufferType.values()[(int) (id / 4096 % 5)];
    }

    private byte[] damaged(byte[] log) {
        byte[] damaged = log.clone();
        for (int hit = 1 + random.nextInt(8); hit > 0; hit--) {
            int at = random.nextInt(damaged.length);
            if (damaged[at] != '\n') {
                damaged[at] = (byte) (random.nextInt(200) - 100);
            }
        }
        return random.nextBoolean() ? damaged : Arrays.copyOf(damaged, random.nextInt(damaged.length));
    }

    private static List<String> reports(ParsedLog log) {
        List<String> reports = new ArrayList<>();
        for (HistoryEvent event : log.history().events()) {
            if (event instanceof HistoryEvent.Allocated allocated) {
                reports.add(String.format(
                        Locale.ROOT,
                        "allocated %s %d on %d: %d by %d",
                        allocated.type(),
                        allocated.address(),
                        allocated.device(),
                        allocated.size(),
                        allocated.request().details().processId().orElseThrow()));
            } else if (event instanceof HistoryEvent.Freed freed) {
                reports.add(String.format(Locale.ROOT, "freed %d on %d", freed.address(), freed.device()));
            }
        }
        return reports;
    }
}
