package dev.meshguard.capture.evidence;

import static dev.meshguard.capture.evidence.WrittenMemoryReport.Block.hole;
import static dev.meshguard.capture.evidence.WrittenMemoryReport.Block.taken;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.WrittenMemoryReport.Age;
import dev.meshguard.event.BufferType;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CSV files of {@code dump_device_memory_state}, of each version. */
class MemoryReportTests {

    @Test
    void theDetailedFileHasTheBlocksOfABankByAddress() throws IOException {
        MemoryReport report = read(dump(Age.BYTES).detailed());

        assertThat(report.notes()).isEmpty();
        assertThat(report.isRounded()).isFalse();
        assertThat(report.memories())
                .containsExactly(
                        new ReportedMemory(
                                BufferType.DRAM,
                                OptionalInt.of(12),
                                Optional.of(new Amounts(1_071_038_464, 20_480, 1_071_017_984, 0)),
                                Optional.of(new Amounts(12 * 1_071_038_464L, 12 * 20_480L, 12 * 1_071_017_984L, 0)),
                                OptionalLong.of(1_071_017_984),
                                List.of(
                                        new MemoryBlock(0, 20_480, true),
                                        new MemoryBlock(20_480, 1_071_017_984, false))),
                        new ReportedMemory(
                                BufferType.L1,
                                OptionalInt.of(64),
                                Optional.of(new Amounts(1_395_712, 6_144, 1_389_568, 0)),
                                Optional.of(new Amounts(64 * 1_395_712L, 64 * 6_144L, 64 * 1_389_568L, 0)),
                                OptionalLong.of(1_385_472),
                                List.of(
                                        new MemoryBlock(0, 2_048, true),
                                        new MemoryBlock(2_048, 4_096, false),
                                        new MemoryBlock(6_144, 4_096, true),
                                        new MemoryBlock(10_240, 1_385_472, false))));
        assertThat(report.memories().get(1).buffers()).hasValue(2);
        assertThat(report.memories().get(1).freeBlocks()).hasValue(2);
        assertThat(report.hasAllocatedMemory()).isTrue();
    }

    @Test
    void theSummaryHasTheAmountsOfABankInBytesWhateverTwoLabelsSay() throws IOException {
        MemoryReport report = read("""
                , Total Allocatable Size (B), Total Allocated (B), Total Free (KB), Largest Free Block (KB)
                ,1071038464,20480,1071017984,1071017984
                ,1395424,2048,1393376,1393376
                ,65536,0,65536,65536
                """);

        assertThat(report.notes()).isEmpty();
        assertThat(report.memories())
                .containsExactly(
                        ofBank(BufferType.DRAM, new Amounts(1_071_038_464, 20_480, 1_071_017_984, 0), 1_071_017_984),
                        ofBank(BufferType.L1, new Amounts(1_395_424, 2_048, 1_393_376, 0), 1_393_376),
                        ofBank(BufferType.L1_SMALL, new Amounts(65_536, 0, 65_536, 0), 65_536));
    }

    private static ReportedMemory ofBank(BufferType type, Amounts bank, long largestFree) {
        return new ReportedMemory(
                type,
                OptionalInt.empty(),
                Optional.of(bank),
                Optional.empty(),
                OptionalLong.of(largestFree),
                List.of());
    }

    @Test
    void theSummaryOfL1HasTheLargestFreeBlockAndShowsTheNumberOfBanks() throws IOException {
        MemoryReport report = read("""
                This report indicates available space for interleaving L1 buffers
                , Largest Contiguous Free Block (B), Total Free L1 Space (B)
                ,1393376,89176064
                """);

        assertThat(report.memories())
                .containsExactly(new ReportedMemory(
                        BufferType.L1,
                        OptionalInt.of(64),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.of(1_393_376),
                        List.of()));
        assertThat(report.saysWhatIsAllocated()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void everyVersionOfTheDetailedFileHasTheSameMemory(Age age) throws IOException {
        MemoryReport report = read(dump(age).detailed());

        assertThat(report.notes()).isEmpty();
        assertThat(report.isRounded()).isEqualTo(age != Age.BYTES);
        assertThat(report.memories()).extracting(ReportedMemory::type).containsExactly(BufferType.DRAM, BufferType.L1);
        ReportedMemory l1 = report.memories().get(1);
        assertThat(l1.banks()).hasValue(64);
        assertThat(l1.all().orElseThrow().allocated()).isEqualTo(64 * 6_144);
        assertThat(l1.bank().orElseThrow().allocated()).isEqualTo(6_144);
        assertThat(l1.largestFree()).hasValue(1_385_472);
        assertThat(l1.buffers()).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void everyVersionOfTheSummariesHasTheSameMemory(Age age) throws IOException {
        ReportedMemory summary = read(dump(age).summary()).memories().get(1);
        ReportedMemory l1 = read(dump(age).l1Summary()).memories().get(0);

        assertThat(summary.type()).isEqualTo(BufferType.L1);
        assertThat(summary.bank().orElseThrow().allocated()).isEqualTo(6_144);
        assertThat(summary.largestFree()).hasValue(1_385_472);
        assertThat(l1.largestFree()).hasValue(1_385_472);
        assertThat(l1.banks()).hasValue(64);
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void theLastDumpOfProgramsIsRead(Age age) throws IOException {
        WrittenMemoryReport first = new WrittenMemoryReport(age, "7")
                .memory("DRAM", 2, taken(8_192), hole(8_192))
                .memory("L1", 2, taken(4_096), hole(4_096));
        WrittenMemoryReport second = new WrittenMemoryReport(age, "9")
                .memory("DRAM", 2, taken(2_048), hole(14_336))
                .memory("L1", 2, hole(8_192));

        MemoryReport detailed = read(first.detailed() + second.detailed());
        MemoryReport summary = read(first.summaryHeader() + first.summaryRows() + second.summaryRows());

        for (MemoryReport report : List.of(detailed, summary)) {
            assertThat(report.programs()).hasValue(2);
            assertThat(report.notes()).isEmpty();
            assertThat(report.memories().get(0).bank().orElseThrow().allocated())
                    .isEqualTo(2_048);
            assertThat(report.memories().get(1).bank().orElseThrow().allocated())
                    .isZero();
        }
    }

    @Test
    void aLineThatIsCutIsNotUsed() throws IOException {
        String summary = dump(Age.BYTES).summary();

        MemoryReport report = read(summary.substring(0, summary.length() - 4));

        assertThat(report.memories()).extracting(ReportedMemory::type).containsExactly(BufferType.DRAM);
        assertThat(report.notes())
                .containsExactly(
                        "It ends in the middle of line 3, which is not used.",
                        "It has no figures of L1, so it is not whole.");
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void aReportThatIsCutAnywhereSaysSo(Age age) throws IOException {
        WrittenMemoryReport dump =
                new WrittenMemoryReport(age).memory("DRAM", 1, hole(8_192)).memory("L1", 1, hole(4_096));

        for (String whole : List.of(dump.detailed(), dump.summary())) {
            assertThat(read(whole).notes()).isEmpty();
            for (int length = whole.length() - 1; isOfMoment(whole.substring(0, length)); length--) {
                assertThat(read(whole.substring(0, length)).notes())
                        .as(whole.substring(0, length))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void aSecondDumpIsNamedBecauseTheFirstIsNotUsed() throws IOException {
        WrittenMemoryReport full = dump(Age.BYTES);
        WrittenMemoryReport empty = new WrittenMemoryReport(Age.BYTES)
                .memory("DRAM", 12, hole(8_192))
                .memory("L1", 64, hole(4_096));

        for (String both : List.of(full.detailed() + empty.detailed(), full.summary() + empty.summary())) {
            assertThat(read(both).hasAllocatedMemory()).isFalse();
            assertThat(read(both).notes())
                    .containsExactly("It has 2 dumps, and the last one is read: give each in its own file.");
        }
    }

    @Test
    void blocksThatDoNotAddUpAreNotUsed() throws IOException {
        String detailed = dump(Age.BYTES).detailed().replaceFirst("(?m)^ +0 +0 +2048 .*\n", "");

        MemoryReport report = read(detailed);

        assertThat(report.memories().get(1).buffers()).isEmpty();
        assertThat(report.memories().get(1).all().orElseThrow().allocated()).isEqualTo(64 * 6_144);
        assertThat(report.notes()).containsExactly("The blocks of L1 are not used: they do not add up to its totals.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "4096,2048,1024,1024 | 2 KiB (2048 B) in buffers and 1 KiB (1024 B) free are not 4 KiB (4096 B) in all",
                "4096,8192,0,0 | 8 KiB (8192 B) in buffers and 0 B free are not 4 KiB (4096 B) in all",
                "4096,2048,2048,4096 | a free block of 4 KiB (4096 B) is larger than the 2 KiB (2048 B) that are free"
            })
    void figuresThatContradictEachOtherAreNotUsed(String row, String defect) throws IOException {
        MemoryReport report = read("""
                , Total Allocatable Size (B), Total Allocated (B), Total Free (KB), Largest Free Block (KB)
                ,%s
                ,4096,0,4096,4096
                """.formatted(row));

        assertThat(report.notes()).containsExactly("The figures of DRAM are not used: " + defect + ".");
        assertThat(report.memories()).extracting(ReportedMemory::type).containsExactly(BufferType.L1);
    }

    @Test
    void anAddressThatNoMemoryHasIsNamedAndItsBlocksAreNotUsed() throws IOException {
        String detailed = dump(Age.BYTES).detailed().replace("20480   1071017984", "18446744073709551616   1071017984");

        assertThat(read(detailed).notes())
                .hasSize(2)
                .contains("The blocks of DRAM are not used: they do not add up to its totals.")
                .element(0)
                .asString()
                .startsWith("1 line of it has no known form and is not used (line 12: \"");
    }

    @Test
    void aMemoryOfNoBytesAndOneBehindThatOfSubDevicesHaveTheirBlocks() throws IOException {
        MemoryReport report = read("""
                ,DRAM
                ,Total allocatable (B):,0
                ,Total allocated (B):,0
                ,Total free (B):,0
                Block table:
                 0 0 0 none none no
                ,L1
                ,Total allocatable (B):,8192
                ,Total allocated (B):,2048
                ,Total free (B):,6144
                Block table:
                 0 65536 1024 none 1 yes
                 1 66560 3072 0 none no
                """);

        assertThat(report.notes()).isEmpty();
        assertThat(report.memories().get(0).freeBlocks()).hasValue(1);
        assertThat(report.memories().get(1).banks()).hasValue(2);
    }

    @Test
    void aLineOfNoKnownFormIsNamed() throws IOException {
        assertThat(read(dump(Age.BYTES).summary() + "Fragmentation index: 3\n").notes())
                .containsExactly(
                        "1 line of it has no known form and is not used (line 4: \"Fragmentation index: 3\").");
    }

    @Test
    void aCompressedReportIsReadAndOneThatBreaksOffIsNoted() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(dump(Age.BYTES).summary().getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = compressed.toByteArray();

        MemoryReport report = (MemoryReport) RuntimeEvidence.read(new ByteArrayInputStream(whole), "summary.csv.gz");
        MemoryReport cut = (MemoryReport)
                RuntimeEvidence.read(new ByteArrayInputStream(whole, 0, whole.length - 9), "summary.csv.gz");

        assertThat(report.memories()).hasSize(2);
        assertThat(cut.notes().toString()).contains("the compressed data breaks off or is spoilt after byte");
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void aReportIsKnownByItsFirstBytes(Age age) throws IOException {
        WrittenMemoryReport dump = dump(age);
        WrittenMemoryReport program = new WrittenMemoryReport(age, "7").memory("L1", 1, hole(4_096));

        for (String file : List.of(
                dump.detailed(),
                dump.summary(),
                dump.l1Summary(),
                program.detailed(),
                program.summary(),
                program.l1Summary(),
                "\uFEFF" + dump.summary())) {
            assertThat(isOfMoment(file)).as(file).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=1)",
                ",DRAM",
                ",DRAM\n,L1\n",
                "a,b,c\n1,2,3\n",
                "[]"
            })
    void otherFilesAreNoReports(String text) throws IOException {
        assertThat(isOfMoment(text)).isFalse();
    }

    private static boolean isOfMoment(String text) throws IOException {
        return RuntimeEvidence.isOfMoment(
                new BufferedInputStream(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
    }

    private static WrittenMemoryReport dump(Age age) {
        return new WrittenMemoryReport(age)
                .memory("DRAM", 12, taken(20_480), hole(1_071_017_984))
                .memory("L1", 64, taken(2_048), hole(4_096), taken(4_096), hole(1_385_472));
    }

    private static MemoryReport read(String text) throws IOException {
        return (MemoryReport)
                RuntimeEvidence.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "report.csv");
    }
}
