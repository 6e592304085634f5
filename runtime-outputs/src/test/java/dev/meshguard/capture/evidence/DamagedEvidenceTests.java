package dev.meshguard.capture.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Damaged evidence is an {@link IOException}, or is read as far as it goes; {@code -Dmeshguard.inputs=…} sets the number of
 * random files, {@code -Dmeshguard.seed=…} reruns a seed.
 */
class DamagedEvidenceTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_125);
    private static final int INPUTS = Integer.getInteger("meshguard.inputs", 10_000);

    private final Random random = new Random(SEED);

    @Test
    void damagedFilesAreReadAsFarAsTheyGo() {
        List<byte[]> files = new ArrayList<>(List.of(new WrittenSharedMemory(4, 0, Instant.EPOCH)
                .process(7, "python3", Instant.EPOCH, 1, 2)
                .bytes()));
        for (String unit : List.of("KB", "B")) {
            WrittenMemoryReport dump = new WrittenMemoryReport(unit)
                    .memory("DRAM", 2, 4_096, -8_192)
                    .memory("L1", 3, -4_096, 2_048);
            for (String text : List.of(dump.detailed(), dump.summary())) {
                files.add(text.getBytes(StandardCharsets.UTF_8));
            }
        }
        for (int i = 0; i < INPUTS; i++) {
            byte[] damaged = damaged(files.get(i % files.size()));
            try {
                check(RuntimeEvidence.read(new ByteArrayInputStream(damaged), "file"));
            } catch (IOException rejected) {
                assertThat(rejected).hasMessageNotContaining("null");
            } catch (RuntimeException e) {
                fail("seed " + SEED + ", input " + i + ": " + Arrays.toString(damaged), e);
            }
        }
    }

    private byte[] damaged(byte[] whole) {
        byte[] damaged = random.nextInt(4) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
        for (int i = random.nextInt(6); i > 0 && damaged.length > 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte)
                    (random.nextBoolean() ? "0123456789,()\n\"E :".charAt(random.nextInt(18)) : random.nextInt(256));
        }
        return damaged;
    }

    private static void check(RuntimeEvidence evidence) {
        assertThat(evidence.notes()).doesNotContainNull();
        if (evidence instanceof MemoryReport report) {
            for (ReportedMemory memory : report.memories()) {
                assertThat(memory.allocated()).isNotNegative();
                assertThat(memory.banks().orElse(1)).isPositive();
            }
        }
    }

    @Test
    void aReportOfALeakWithAnyByteChangedOrRemovedOrThatIsCutIsNeverClean() throws IOException {
        for (String unit : List.of("KB", "B")) {
            WrittenMemoryReport dump =
                    new WrittenMemoryReport(unit).memory("DRAM", 2, -8_192).memory("L1", 3, -4_096, 2_048);
            for (String text : List.of(dump.detailed(), dump.summary())) {
                for (int i = 0; i < text.length(); i++) {
                    String before = text.substring(0, i);
                    String after = text.substring(i + 1);
                    char other = (char) (' ' + random.nextInt(95));
                    for (String damaged : List.of(before + after, before + other + after, before, after)) {
                        assertThat(isClean(damaged)).as(damaged).isFalse();
                    }
                }
            }
        }
    }

    private static boolean isClean(String text) {
        try {
            RuntimeEvidence report =
                    RuntimeEvidence.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "report.csv");
            return !report.hasAllocatedMemory() && report.notes().isEmpty();
        } catch (IOException isNoReport) {
            return false;
        }
    }

    @Test
    void numbersBeyondALongAreNotUsed() throws IOException {
        String nines = "9".repeat(18);
        String text = ",DRAM\n,Total allocatable (KB):," + nines + "\n,Total allocated (KB):," + nines
                + "\n,Total free (KB):," + nines + "9\nBlock table:\n 0 " + nines + " " + nines + " none none yes\n";

        MemoryReport report = (MemoryReport)
                RuntimeEvidence.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "report.csv");

        assertThat(report.memories()).isEmpty();
        assertThat(report.notes()).contains("It shows no memory.");
    }

    @Test
    void randomMemoriesAreReadFromEachVersionAsTheyWereWritten() throws IOException {
        for (int round = 0; round < 100; round++) {
            int banks = 1 + random.nextInt(64);
            long[] blocks = random.longs(1 + random.nextInt(20), 1, 1_001)
                    .map(size -> random.nextBoolean() ? 1_024 * size : -1_024 * size)
                    .toArray();
            long allocated = Arrays.stream(blocks).filter(block -> block > 0).sum();
            for (String unit : List.of("KB", "B")) {
                String detailed = new WrittenMemoryReport(unit)
                        .memory("DRAM", 1, -4_096)
                        .memory("L1", banks, blocks)
                        .detailed();

                MemoryReport report = (MemoryReport) RuntimeEvidence.read(
                        new ByteArrayInputStream(detailed.getBytes(StandardCharsets.UTF_8)), "report.csv");

                ReportedMemory memory = report.memories().get(1);
                assertThat(memory.type()).isEqualTo(BufferType.L1);
                assertThat(memory.banks()).as("seed %d, %s", SEED, detailed).hasValue(banks);
                assertThat(memory.all().orElseThrow().allocated()).isEqualTo(banks * allocated);
                assertThat(memory.bank().orElseThrow().allocated()).isEqualTo(allocated);
                assertThat(report.notes()).isEmpty();
            }
        }
    }
}
