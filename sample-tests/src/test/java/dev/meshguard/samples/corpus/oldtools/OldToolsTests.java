package dev.meshguard.samples.corpus.oldtools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the most frequent error of each old tool, on a minimal log; {@code docs/internals/compared-diagnosis.md} describes
 * them.
 */
class OldToolsTests {

    private static final List<String> KERNEL_BINARY_AND_ITS_VIEW = List.of(
            "✓ [PID 108740] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776)",
            "✓ [PID 108740] Allocated 12288 bytes of DRAM on device 0 (buffer_id=1073739776, ref_count=2)",
            "✗ [PID 108740] Freed buffer 1073739776 on device 0 (12288 bytes, ref_count=1 remaining)",
            "✗ [PID 108740] Freed buffer 1073739776 on device 0 (12288 bytes, FINAL)");

    private static final List<String> DEAD_PROCESS = List.of(
            "✓ [PID 314528] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
            "   PID 314528 is dead, removing its buffers...",
            "   ✓ Removed 1 buffers (0.00390625 MB) from PID 314528");

    private static final List<String> REUSED = List.of(
            "✓ [PID 108740] Allocated 524288 bytes of DRAM on device 2 (buffer_id=25718784)",
            "✗ [PID 108740] Freed buffer 25718784 on device 2 (524288 bytes, FINAL)",
            "✓ [PID 108740] Allocated 98304 bytes of DRAM on device 2 (buffer_id=25718784)");

    private static final List<String> FREED_ON_ONE_DEVICE = List.of(
            "✓ [PID 108740] Allocated 4096 bytes of DRAM on device 0 (buffer_id=2560032)",
            "✓ [PID 108740] Allocated 4096 bytes of DRAM on device 1 (buffer_id=2560032)",
            "✗ [PID 108740] Freed buffer 2560032 on device 0 (4096 bytes, FINAL)");

    private static final List<String> REPORTED_TWICE_FREED_ONCE = List.of(
            "✓ [PID 108740] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
            "✓ [PID 108740] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)",
            "✗ [PID 108740] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)");

    static Stream<Arguments> readings() {
        return Stream.of(
                arguments("analyze_buffer_log.py", DEAD_PROCESS, 1),
                arguments("analyze_buffer_log.py", KERNEL_BINARY_AND_ITS_VIEW, 0),
                arguments("correlate_leaked_buffers.py", KERNEL_BINARY_AND_ITS_VIEW, 1),
                arguments("correlate_leaked_buffers.py", REUSED, 1),
                arguments("analyze_remaining_buffer_sizes.py", REUSED, 0),
                arguments("analyze_remaining_buffer_sizes.py", FREED_ON_ONE_DEVICE, 1),
                arguments("diagnose_accumulation.sh", FREED_ON_ONE_DEVICE, 0),
                arguments("server totals, every report counted", KERNEL_BINARY_AND_ITS_VIEW, 1),
                arguments("server totals, references counted", KERNEL_BINARY_AND_ITS_VIEW, 0),
                arguments("server totals, references counted", REPORTED_TWICE_FREED_ONCE, 1),
                arguments("server totals, references counted", DEAD_PROCESS, 1),
                arguments("server totals, references counted, dead processes removed", DEAD_PROCESS, 0));
    }

    @ParameterizedTest
    @MethodSource("readings")
    void countWhatTheirRulesSay(String tool, List<String> log, int leaks) {
        OldTool reading = OldTool.all().stream()
                .filter(one -> one.name().equals(tool))
                .findFirst()
                .orElseThrow();

        assertThat(reading.leaks(LogLine.parse(log))).isEqualTo(leaks);
    }

    /** tt-metal's own example: two reports of one address, three frees. */
    @Test
    void readEveryLineOfTheServer() {
        assertThat(LogLine.parse(List.of(
                        "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)",
                        "✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)",
                        "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)",
                        "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)",
                        "⚠ [PID 7] Deallocation for unknown buffer 101152 on device 0 (allocated before tracking started)",
                        "   PID 7 is dead, removing its buffers...",
                        "║           REMAINING ALLOCATED BUFFERS                       ║",
                        "Total remaining buffers: 0")))
                .containsExactly(
                        new LogLine(LogLine.Kind.ALLOCATED, 0, 101_152, 4_096, 7),
                        new LogLine(LogLine.Kind.ALLOCATED_AGAIN, 0, 101_152, 2_048, 7),
                        new LogLine(LogLine.Kind.RELEASED, 0, 101_152, 4_096, 7),
                        new LogLine(LogLine.Kind.FREED, 0, 101_152, 4_096, 7),
                        new LogLine(LogLine.Kind.UNKNOWN_FREE, 0, 101_152, 0, 7),
                        new LogLine(LogLine.Kind.DEAD_PROCESS, -1, -1, 0, 7),
                        new LogLine(LogLine.Kind.DUMP, -1, -1, 0, -1));
    }
}
