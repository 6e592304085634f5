package dev.meshguard.report.findings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.json.JsonSchemas;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of a file of findings. */
class FindingsJsonTests {

    private static final Instant BEGAN = Instant.parse("2026-03-01T10:15:30Z");
    private static final JsonSchemas SCHEMA = JsonSchemas.ofFindingsLine();

    private final FindingsJson lines = new FindingsJson(
            new RunIdentity("nightly-7", "host-a-41", BEGAN, Optional.of("4f1d2c"), Optional.of("host-a")));
    private final AllocationTracker tracker = AllocationTracker.create();
    private int nextAddress = 1;

    @Test
    void everyLineRepeatsTheRunAsThePageShows() throws IOException {
        allocate(41, 4_096);

        String text = lines.begin() + lines.check(checkOf(examined())) + lines.end(1, 1, 3);

        assertThat(Files.readString(Path.of("..", "docs", "formats.md"))).contains("```jsonl\n" + text + "```\n");
        assertThat(faultsOf(text)).isEmpty();
    }

    @Test
    void whatIsUnknownIsAbsent() {
        FindingsJson unknown = new FindingsJson(new RunIdentity("41", "41", BEGAN, Optional.empty(), Optional.empty()));
        CheckRecord check = new CheckRecord(
                "the whole run", "RUN", Optional.empty(), Outcome.LEAK_FREE, "PASSED", true, 0, List.of());

        assertThat(unknown.check(check))
                .isEqualTo(
                        "{\"schema\":1,\"kind\":\"check\",\"run\":\"41\",\"jvm\":\"41\",\"began\":\"2026-03-01T10:15:30Z\","
                                + "\"test\":\"the whole run\",\"subject\":\"RUN\",\"result\":\"PASSED\",\"completed\":true,"
                                + "\"outcome\":\"LEAK_FREE\",\"findings\":0,\"peakBytes\":0,\"leakedBytes\":0}\n");
        assertThat(faultsOf(unknown.check(check))).isEmpty();
    }

    @Test
    void buffersOfOneLineAndSizeClassAreOneFinding() {
        allocate(41, 3_000);
        allocate(41, 4_096);
        allocate(42, 65_536);

        assertThat(records(examined(), Optional.empty()))
                .extracting(FindingRecord::buffers, FindingRecord::bytes)
                .containsExactly(tuple(1L, 65_536L), tuple(2L, 7_096L));
    }

    @Test
    void aFindingOfTheBaselineIsKnown() {
        allocate(41, 4_096);
        Baseline baseline = Baseline.of(examined());
        allocate(42, 1 << 20);

        assertThat(records(examined(), Optional.of(baseline)))
                .extracting(FindingRecord::bytes, FindingRecord::known)
                .containsExactly(tuple(1L << 20, false), tuple(4_096L, true));
    }

    @Test
    void thePeakIsTheLargestOfOneTypeOnOneDevice() {
        allocate(41, 4_096);
        tracker.freed(0, BufferType.DRAM, 32L * 1024 * 1024);
        allocate(42, 3_000);
        tracker.allocated(0, BufferType.L1, 64, 4_000);
        tracker.allocated(1, BufferType.DRAM, 64, 2_000);

        assertThat(CheckRecord.peakBytesOf(tracker.history())).isEqualTo(4_096);
    }

    @Test
    void nothingAllocatedHasNoPeak() {
        assertThat(CheckRecord.peakBytesOf(tracker.history())).isZero();
    }

    @Test
    void leakedBytesAreThoseOfLeakedFindingsOnlyKnownOnesIncluded() {
        allocate(41, 4_096);
        Baseline baseline = Baseline.of(examined());
        allocate(42, 1 << 20);
        tracker.allocated(0, BufferType.L1, 64, 500);
        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("shared").type(BufferType.L1)))
                .examine(tracker.history());

        CheckRecord check = new CheckRecord(
                "T#t",
                "TEST",
                Optional.empty(),
                verdict.outcome(),
                "FAILED",
                true,
                0,
                records(verdict, Optional.of(baseline)));

        assertThat(check.findings()).hasSize(3);
        assertThat(check.leakedBytes()).isEqualTo((1 << 20) + 4_096);
    }

    @Test
    void anExpectedBufferIsAFindingWithThatStatus() {
        allocate(41, 4_096);

        LeakVerdict verdict = LeakCheck.create()
                .expecting(ExpectedBuffers.of(Expectation.because("shared").type(BufferType.DRAM)))
                .examine(tracker.history());

        assertThat(records(verdict, Optional.empty()))
                .extracting(FindingRecord::status)
                .containsExactly("EXPECTED");
    }

    @Test
    void anyTextStaysOnItsLine() {
        FindingsJson odd = new FindingsJson(new RunIdentity(
                "a \"run\"\n", "\u2028", BEGAN, Optional.of("\uD800"), Optional.of("ığ\u0000\u001b[31m")));
        CheckRecord check = new CheckRecord(
                "T#t[\"a\"\r\n]", "TEST", Optional.of("\\"), Outcome.LEAK_FREE, "PASSED", false, 0, List.of());

        String text = odd.begin() + odd.check(check) + odd.end(1, 0, 2);

        assertThat(text.lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(SCHEMA.faultsOf(line)).isEmpty());
        assertThat(text).contains("\"commit\":\"\\ud800\"").doesNotContain("\u2028", "\u001b");
    }

    @Test
    void everyLineOfAnyHistoryFitsTheSchema() {
        long seed = Long.getLong("meshguard.seed", new Random().nextLong());
        Random random = new Random(seed);

        for (int i = 0; i < 20; i++) {
            LeakVerdict verdict = LeakCheck.create().examine(RandomHistory.of(random, 60));

            String text = lines.begin() + lines.check(checkOf(verdict)) + lines.end(1, 0, 2);

            assertThat(faultsOf(text)).as("-Dmeshguard.seed=%d", seed).isEmpty();
        }
    }

    @Test
    void theUseOfEntriesAndKnownLeaksIsReadAsItWasWritten(@TempDir Path folder) throws IOException {
        allocate(41, 4_096);
        Baseline leaks = Baseline.of(examined()).foundBy("dev.example.KvCacheTest#decode");
        ExpectedBuffers ofFile = ExpectedBuffers.parse("\nlabel \"a \\\"b\\\"\" because \"shared\"\n", "expected.txt");
        Expectation ofAnnotation =
                Expectation.because("kept").label("cache").locatedAt("@ExpectBuffers on dev.example.KvCacheTest");
        String text = lines.begin()
                + lines.entries(EntryUse.EXPECTED, ofFile.entries())
                + lines.entries(EntryUse.MATCHED, List.of(ofAnnotation))
                + lines.entries(EntryUse.EXCUSED, List.of(ofAnnotation))
                + lines.found(leaks)
                + lines.incomplete("dev.example.KvCacheTest#append")
                + lines.check(checkOf(examined()))
                + lines.check(checkOf("dev.example.KvCacheTest#append", examined()))
                + lines.end(2, 2, 10);
        Path file = Files.writeString(folder.resolve("findings.jsonl"), text);

        JvmFindings read = JvmFindings.read(file, "nightly-7").orElseThrow();

        assertThat(faultsOf(text)).isEmpty();
        assertThat(read.entries())
                .extracting(
                        JvmFindings.UsedEntry::use,
                        used -> used.entry().toString(),
                        used -> used.entry().location())
                .containsExactly(
                        tuple(EntryUse.EXPECTED, ofFile.entries().get(0).toString(), Optional.of("expected.txt:2")),
                        tuple(EntryUse.MATCHED, ofAnnotation.toString(), ofAnnotation.location()),
                        tuple(EntryUse.EXCUSED, ofAnnotation.toString(), ofAnnotation.location()));
        assertThat(read.found()).isEqualTo(leaks);
        assertThat(read.completed()).containsExactly("dev.example.KvCacheTest#decode");
        assertThat(read.isComplete()).isTrue();
        assertThat(JvmFindings.read(file, "nightly")).isEmpty();
    }

    @Test
    void aFileThatLacksLinesCannotBeRead(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("findings.jsonl"), lines.begin() + lines.end(1, 2, 4));

        assertThatIOException()
                .isThrownBy(() -> JvmFindings.read(file, "nightly-7"))
                .withMessage("Cannot read line 2 of " + file
                        + ", because it counts 1 check and 2 findings in 4 lines, and before it are"
                        + " 0 checks and 0 findings in 1 line: lines were removed or added."
                        + " Run the tests again that wrote it, with this version of MeshGuard");
    }

    @Test
    void aFileOfSeveralJvmsIsCompleteIfEachReachedItsEnd(@TempDir Path folder) throws IOException {
        allocate(41, 4_096);
        String cut = lines.begin() + lines.check(checkOf(examined()));
        String whole = cut + lines.end(1, 1, 3);

        assertThat(isComplete(whole + whole, folder)).isTrue();
        assertThat(isComplete(cut + whole, folder)).isFalse();
        assertThat(isComplete(whole + cut, folder)).isFalse();
        assertThatIOException()
                .isThrownBy(() -> isComplete(whole + lines.check(checkOf(examined())), folder))
                .withMessageContaining("because it comes after the end");
    }

    private static boolean isComplete(String text, Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("findings.jsonl"), text);
        return JvmFindings.read(file, "nightly-7").orElseThrow().isComplete();
    }

    private static List<String> faultsOf(String text) {
        return text.lines().flatMap(line -> SCHEMA.faultsOf(line).stream()).toList();
    }

    private static CheckRecord checkOf(LeakVerdict verdict) {
        return checkOf("dev.example.KvCacheTest#decode", verdict);
    }

    private static CheckRecord checkOf(String test, LeakVerdict verdict) {
        return new CheckRecord(
                test,
                "TEST",
                Optional.of("mesh"),
                verdict.outcome(),
                "FAILED",
                true,
                CheckRecord.peakBytesOf(verdict.history()),
                records(verdict, Optional.empty()));
    }

    private static List<FindingRecord> records(LeakVerdict verdict, Optional<Baseline> baseline) {
        return FindingRecord.of(SurvivorFinding.of(verdict, baseline), verdict.overwrites());
    }

    private LeakVerdict examined() {
        return LeakCheck.create().examine(tracker.history());
    }

    private void allocate(int line, long size) {
        MemoryRequest request = MemoryRequest.restored(
                AllocationDetails.user(),
                Optional.of(Origin.of(
                        new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", line))));
        tracker.allocated(request, 0, BufferType.DRAM, 32L * 1024 * 1024 * nextAddress++, size, Ownership.OWNING);
    }
}
