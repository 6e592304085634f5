package dev.meshguard.samples.reported;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Reported programs for which the memory has no room: what is said about each. */
class NoRoomTests {

    @Test
    void saysWhoHoldsTheMemory() {
        Map<String, Optional<Throwable>> failures = Fixtures.run(NoRoomTestCase.class);

        assertThat(failures).hasSize(4);
        assertThat(failures.get("keepsActivationsWhereCircularBuffersLie")).hasValueSatisfying(hasMessage("""
                Statically allocated circular buffers in program 1 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated at 104448 and static circular buffer region ends at 116064
                occupied: the circular buffers of program 1 (add) need 12 KiB (12288 B) from 0x19560 (103776) to 0x1c560 (116064)
                there, in each bank:
                  454 KiB  1 buffer, label "layer 3", allocated at dev.meshguard.samples.reported.NoRoomTestCase.keepsActivationsWhereCircularBuffersLie(NoRoomTestCase.java:30)
                to make room, free 454 KiB of each bank, all that is listed"""));
        assertThat(failures.get("leavesTheOutputOfEachProgramBehind")).hasValueSatisfying(hasMessage("""
                Out of Memory: Not enough space to allocate 29753344 B L1 buffer across 64 banks, where each bank needs to store 464896 B, but bank size is 1395360 B (allocated: 1394688 B, free: 672 B, largest free block: 672 B)
                full: each bank has to store 454 KiB (464896 B), and has 672 B free
                held in each bank:
                  1.33 MiB  3 buffers, label "output", allocated at dev.meshguard.samples.reported.NoRoomTestCase.leavesTheOutputOfEachProgramBehind(NoRoomTestCase.java:42)
                to make room, free 454 KiB of each bank, from 0x19560 (103776) to 0x8b000 (569344):
                  454 KiB  1 buffer, label "output", allocated at dev.meshguard.samples.reported.NoRoomTestCase.leavesTheOutputOfEachProgramBehind(NoRoomTestCase.java:42)"""));
        assertThat(failures.get("capturesATraceThatFits")).hasValueSatisfying(hasMessage("""
                Creating trace buffers of size 2097152B on MeshDevice 0, but only 1048576B is allocated for trace region.
                too small: the traces need 2 MiB (2097152 B) in total over 12 banks, and the trace_region_size permits 1 MiB (1048576 B). In each bank the new one needs 176 KiB (180224 B), and 1 MiB (1048576 B) of the region is free
                to make room, open the mesh with a trace_region_size of at least 2097152, which each bank sets aside"""));
        assertThat(failures.get("capturesATraceForEachBatchSize")).hasValueSatisfying(hasMessage("""
                Creating trace buffers of size 237010944B on MeshDevice 0, but only 235929600B is allocated for trace region.
                too small: the traces need 226.03 MiB (237010944 B) in total over 12 banks, and the trace_region_size permits 225 MiB (235929600 B). In each bank the new one needs 4.53 MiB (4751360 B), and 210.69 MiB (220921856 B) of the region is free
                held in each bank:
                  14.31 MiB  1 buffer, owner trace 0 of mesh 0, allocated at dev.meshguard.samples.reported.NoRoomTestCase.captured(NoRoomTestCase.java:78)
                    called at dev.meshguard.samples.reported.NoRoomTestCase.capturesATraceForEachBatchSize(NoRoomTestCase.java:67)
                to make room, open the mesh with a trace_region_size of at least 237010944, which each bank sets aside"""));
    }

    private static Consumer<Throwable> hasMessage(String text) {
        return failure -> assertThat(failure).hasMessage(text);
    }
}
