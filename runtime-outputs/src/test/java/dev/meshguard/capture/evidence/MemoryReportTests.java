package dev.meshguard.capture.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
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
import org.junit.jupiter.params.provider.ValueSource;

/** The CSV files of {@code dump_device_memory_state}, of versions that write bytes and of those that write KB. */
class MemoryReportTests {

    @ParameterizedTest
    @ValueSource(strings = {"B", "KB"})
    void theDetailedFileHasTheBlocksOfABankByAddress(String unit) throws IOException {
        MemoryReport report = read(dump(unit).detailed());

        assertThat(report.notes()).isEmpty();
        assertThat(report.isRounded()).isEqualTo(unit.equals("KB"));
        assertThat(report.hasAllocatedMemory()).isTrue();
        assertThat(report.memories())
                .extracting(ReportedMemory::type, ReportedMemory::banks)
                .containsExactly(tuple(BufferType.DRAM, OptionalInt.of(12)), tuple(BufferType.L1, OptionalInt.of(64)));
        ReportedMemory l1 = report.memories().get(1);
        assertThat(List.of(l1.bank().orElseThrow(), l1.all().orElseThrow()))
                .extracting(Amounts::allocatable, Amounts::allocated, Amounts::free)
                .containsExactly(
                        tuple(1_395_712L, 6_144L, 1_389_568L), tuple(64 * 1_395_712L, 64 * 6_144L, 64 * 1_389_568L));
        assertThat(l1.blocks())
                .containsExactly(
                        new MemoryBlock(0, 2_048, true),
                        new MemoryBlock(2_048, 4_096, false),
                        new MemoryBlock(6_144, 4_096, true),
                        new MemoryBlock(10_240, 1_385_472, false));
        assertThat(l1.largestFree()).hasValue(1_385_472);
        assertThat(l1.buffers()).hasValue(2);
        assertThat(l1.freeBlocks()).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"B", "KB"})
    void theSummaryHasTheAmountsOfABankWhateverTheLabelsOfItsLastColumnsSay(String unit) throws IOException {
        MemoryReport report = read(dump(unit).memory("L1_SMALL", 64, -65_536).summary());

        assertThat(report.notes()).isEmpty();
        assertThat(report.memories())
                .extracting(
                        ReportedMemory::type,
                        memory -> memory.bank().orElseThrow().allocated(),
                        ReportedMemory::largestFree)
                .containsExactly(
                        tuple(BufferType.DRAM, 20_480L, OptionalLong.of(1_071_017_984)),
                        tuple(BufferType.L1, 6_144L, OptionalLong.of(1_385_472)),
                        tuple(BufferType.L1_SMALL, 0L, OptionalLong.of(65_536)));
    }

    @Test
    void aReportThatIsCutAnywhereSaysSo() throws IOException {
        WrittenMemoryReport dump =
                new WrittenMemoryReport("B").memory("DRAM", 1, -8_192).memory("L1", 1, -4_096);

        for (String whole : List.of(dump.detailed(), dump.summary())) {
            assertThat(read(whole).notes()).isEmpty();
            for (int length = whole.length() - 1;
                    formatOf(whole.substring(0, length)).isPresent();
                    length--) {
                assertThat(read(whole.substring(0, length)).notes())
                        .as(whole.substring(0, length))
                        .isNotEmpty();
            }
        }
        assertThat(read(dump.summary().replace("4096,4096\n", "40")).notes())
                .containsExactly(
                        "It ends in the middle of line 3, which is not used.",
                        "It has no figures of L1, so it is not whole.");
        assertThat(read(dump.detailed().replaceFirst("(?s),Total free (?!.*,Total free ).*", ""))
                        .notes())
                .containsExactly("The figures of L1 are not used: \"Total free\" is missing.");
    }

    @Test
    void theLinesOfASecondDumpAreNamedBecauseTheyAreNotUsed() throws IOException {
        WrittenMemoryReport empty =
                new WrittenMemoryReport("B").memory("DRAM", 12, -8_192).memory("L1", 64, -4_096);

        for (String both : List.of(
                empty.detailed() + dump("B").detailed(),
                empty.summary() + dump("B").summary())) {
            assertThat(read(both).notes()).singleElement().asString().contains("of it have no known form");
        }
    }

    @Test
    void blocksThatDoNotAddUpAreNotUsed() throws IOException {
        MemoryReport report = read(dump("B").detailed().replaceFirst("(?m)^ +0 +0 +2048 .*\n", ""));

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

    @ParameterizedTest
    @ValueSource(
            strings = {"Fragmentation index: 3", " 0 18446744073709551616 64 none none yes", ",Total free (B):,-3"})
    void aLineThatCannotBeIsNamed(String line) throws IOException {
        assertThat(read(dump("B").detailed() + line + "\n").notes())
                .containsExactly("1 line of it has no known form and is not used (line 29: \"" + line + "\").");
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
    void aCompressedReportIsReadAndOneThatBreaksOffIsNoted() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(dump("B").summary().getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = compressed.toByteArray();

        MemoryReport report = (MemoryReport) RuntimeEvidence.read(new ByteArrayInputStream(whole), "summary.csv.gz");
        MemoryReport cut = (MemoryReport)
                RuntimeEvidence.read(new ByteArrayInputStream(whole, 0, whole.length - 9), "summary.csv.gz");

        assertThat(report.memories()).hasSize(2);
        assertThat(cut.notes().toString()).contains("the compressed data breaks off or is spoilt after byte");
    }

    @Test
    void aReportIsKnownByItsFirstBytes() throws IOException {
        WrittenMemoryReport dump = new WrittenMemoryReport("KB").memory("L1", 1, -4_096);

        for (String file : List.of(dump.detailed(), dump.summary(), "\uFEFF" + dump.summary())) {
            assertThat(formatOf(file)).as(file).contains(OutputFormat.MEMORY_REPORT);
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
        assertThat(formatOf(text)).isEmpty();
    }

    private static Optional<OutputFormat> formatOf(String text) throws IOException {
        return OutputFormat.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static WrittenMemoryReport dump(String unit) {
        return new WrittenMemoryReport(unit)
                .memory("DRAM", 12, 20_480, -1_071_017_984)
                .memory("L1", 64, 2_048, -4_096, 4_096, -1_385_472);
    }

    private static MemoryReport read(String text) throws IOException {
        return (MemoryReport)
                RuntimeEvidence.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "report.csv");
    }
}
