package dev.meshguard.capture.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.evidence.RuntimeText.AddressRange;
import dev.meshguard.capture.evidence.RuntimeText.Kind;
import dev.meshguard.capture.evidence.RuntimeText.ListedBuffer;
import dev.meshguard.event.BufferType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The runtime's texts about memory in a log: rejected requests, warnings, and the list of the trace allocation tracker. */
class RuntimeTextsTests {

    private static final String TRACKER = """
            Found 2 device buffer(s) still alive before trace replay. These will be corrupted on replay.

            Buffer 1187 [op: ttnn.add]
              allocated at:
              File "model.py", line 31, in forward
                y = ttnn.add(x, x)

            Buffer 1190

            --- Python referrer analysis ---
            [scan stats] threads=3
            Buffer 1187: found in 1 Python reference(s)
              'self.cache', shape=Shape([1, 1, 32, 1024])
            1 buffer(s) not found in any Python stack frame.

            Use corruptible_allocation_scope() for acknowledged-corruptible tensors, or ensure temporary tensors are freed before replay.
            """;

    @Test
    void theTrackersListHasTheBuffersWithTheirOperationsLinesAndVariables() throws IOException {
        RuntimeTexts texts = read("starting\n" + TRACKER + "done\n");

        assertThat(texts.texts())
                .containsExactly(new RuntimeText(
                        Kind.ALIVE_BEFORE_REPLAY,
                        2,
                        "2 buffers",
                        Optional.empty(),
                        List.of(
                                new ListedBuffer(
                                        1_187,
                                        Optional.of("ttnn.add"),
                                        List.of("model.py:31 in forward"),
                                        List.of("'self.cache', shape=Shape([1, 1, 32, 1024])")),
                                new ListedBuffer(1_190, Optional.empty(), List.of(), List.of()))));
        assertThat(texts.notes())
                .containsExactly(
                        "Before a replay of a trace, the runtime listed 2 buffers that it would corrupt (line 2): buffer"
                                + " 1187 of ttnn.add, allocated at model.py:31 in forward, referenced by 'self.cache',"
                                + " shape=Shape([1, 1, 32, 1024]); buffer 1190.");
    }

    @Test
    void theTrackersListIsReadAsPytestPrintsIt() throws IOException {
        String pytest = TRACKER.replaceFirst("Found", "RuntimeError: Found").replaceAll("(?m)^(.+)$", "E       $1");

        RuntimeTexts texts = read("    def test():\n" + pytest + "\nmodel.py:40: RuntimeError\n");

        assertThat(texts.texts())
                .singleElement()
                .extracting(RuntimeText::buffers)
                .isEqualTo(read(TRACKER).texts().get(0).buffers());
    }

    @Test
    void aListThatIsCutHasTheBuffersUpToThere() throws IOException {
        RuntimeTexts texts = read(TRACKER.substring(0, TRACKER.indexOf("Buffer 1190")));

        assertThat(texts.texts()).singleElement().satisfies(text -> {
            assertThat(text.figures()).isEqualTo("2 buffers");
            assertThat(text.buffers()).extracting(ListedBuffer::id).containsExactly(1_187L);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 12 banks, where each bank needs to store 352 B"
                        + " | NO_SPACE | 4 KiB (4096 B) of DRAM across 12 banks, 352 B in each",
                "Out of Memory: Not enough space after considering dependencies to allocate 4096 B L1 across 64 banks (64 B per bank),"
                        + " bank size is 1024 B (allocated: 1000 B, free: 24 B, largest free block: 24 B)"
                        + " | NO_SPACE | 4 KiB (4096 B) of L1 across 64 banks, 64 B in each; a bank has 1 KiB (1024 B), of which 24 B were"
                        + " free, at most 24 B in one piece",
                "Statically allocated circular buffers on core range [0-0 - 7-7] grow to 2000 B which is beyond max L1 size of 1000 B"
                        + " | BEYOND_L1 | circular buffers up to 1.95 KiB (2000 B), and L1 has 1000 B",
                "Statically allocated dataflow buffers in program 3 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated"
                        + " at 1000 and static dataflow buffer region ends at 2000"
                        + " | CLASH | dataflow buffers up to 0x7d0 (2000), and an L1 buffer lies at 0x3e8 (1000)",
                "Creating trace buffers of size 8192B on device 0, but only 4096B is allocated for trace region."
                        + " | TRACE_REGION | trace buffers of 8 KiB (8192 B), and the trace region has 4 KiB (4096 B)",
                "Trace buffer at address 4096 overlaps with buffers deallocated during trace capture (deletion high water mark: 8192)."
                        + " | TRACE_OVERLAP | its trace would lie at 0x1000 (4096), where there were buffers deallocated during trace"
                        + " capture"
            })
    void theFiguresOfARejectedRequestAreRead(String line, Kind kind, String figures) throws IOException {
        assertThat(read("E   RuntimeError: TT_FATAL @ a.cpp:1: ok\n" + line + "\n")
                        .texts())
                .singleElement()
                .satisfies(text -> {
                    assertThat(text.kind()).isEqualTo(kind);
                    assertThat(text.line()).isEqualTo(2);
                    assertThat(text.figures()).isEqualTo(figures);
                });
    }

    @Test
    void aClashNamesTheAddressesThatWouldHaveToBeFree() throws IOException {
        RuntimeTexts texts = read(
                "Statically allocated circular buffers in program 12 clash with L1 buffers on core range"
                        + " [(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 101152 and static circular buffer region ends at 200000\n");

        assertThat(texts.texts().get(0).held())
                .contains(new AddressRange(BufferType.L1, 101_152, 200_000))
                .get()
                .satisfies(range -> {
                    assertThat(range.contains(BufferType.L1, 101_152)).isTrue();
                    assertThat(range.contains(BufferType.L1, 200_000)).isFalse();
                    assertThat(range.contains(BufferType.DRAM, 101_152)).isFalse();
                });
    }

    @Test
    void bothWarningsOfAnActiveTraceAreReadAndFurtherOnesCounted() throws IOException {
        String older =
                "Allocating device buffers is unsafe due to the existence of an active trace. These buffers may be"
                        + " corrupted once a trace is executed.\n";
        String newer = older.replace("unsafe", "potentially unsafe");

        RuntimeTexts texts = read(older + newer.repeat(4));

        assertThat(texts.texts()).hasSize(3).extracting(RuntimeText::kind).containsOnly(Kind.ALLOCATED_WITH_TRACE);
        assertThat(texts.notes())
                .hasSize(4)
                .contains(
                        "The runtime warned that a buffer was allocated while a trace was active (line 1): a replay may corrupt it."
                                + " The text does not name it.",
                        "The runtime printed 2 more warnings about traces.");
    }

    @Test
    void aLogThatBreaksOffIsReadUpToThereAndNoted() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(TRACKER.repeat(100).getBytes(StandardCharsets.UTF_8));
        }

        RuntimeTexts texts = (RuntimeTexts) RuntimeEvidence.read(
                new ByteArrayInputStream(compressed.toByteArray(), 0, compressed.size() - 9), "pytest.log.gz");

        assertThat(texts.others()).isPositive();
        assertThat(texts.notes())
                .last()
                .asString()
                .startsWith(
                        "pytest.log.gz was not read to its end: its compressed data breaks off or is spoilt after line ");
    }

    @Test
    void aLogWithoutSuchATextIsEmpty() throws IOException {
        assertThat(read("a line\n").isEmpty()).isTrue();
        assertThat(read("").isEmpty()).isTrue();
    }

    private static RuntimeTexts read(String text) throws IOException {
        return (RuntimeTexts)
                RuntimeEvidence.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "pytest.log");
    }
}
