package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The text of a verdict if several meshes or allocators share devices. */
class SeveralMeshesReportTests {

    @TestFactory
    Stream<DynamicTest> theText() {
        return ReportStory.each("""
            reports memory that both held though nothing leaked
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0, label weights;
                allocate DRAM 0x1000 on 0..1, mesh 1, label activations; free DRAM 0x1000 on 0..1, mesh 1; close 1;
                free DRAM 0x1000 on 0..3, mesh 0; close

                OVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's data: 2 buffers

                   fix   Free what one mesh holds on a device before another mesh over it allocates memory, or use one mesh only: each
                         has an allocator of its own that knows nothing of the others'.
                1. DRAM  2 x 64 B on devices 0-1, allocated by mesh 1 (1x2 submesh of mesh 0) at 0x1000 (4096), events #11 to #12
                   at dev.example.HistoryTests.story(HistoryTests.java:4)
                   why   it lies over 64 B at 0x1000 (4096), allocated by mesh 0 (mesh 0), events #7 to #8, freed by event #18
                   over  at dev.example.HistoryTests.story(HistoryTests.java:3)

                sum     6 allocated = 6 freed
                expect  @ExpectBuffers(type = DRAM, size = 64, atMost = 2, label = "weights", origin = "HistoryTests.story", overwritten = true, because = "…")
            of a free by the wrong mesh names the allocating mesh
                mesh 0 over 0..3; mesh 1 in 0 over 0..1; allocate DRAM 0x1000 on 0..3, mesh 0; free DRAM 0x1000 on 0..1, mesh 1;
                free DRAM 0x1000 on 0..3, mesh 0; close 1; close

                MISREPORTED  no memory leaked; 2 frees of nothing

                1. free of an unknown address: DRAM 0x1000 (4096) on device 0 (event #11)
                …
                   why   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 64 B, was allocated at event #7 by
                         mesh 0 (mesh 0)
                2. free of an unknown address: DRAM 0x1000 (4096) on device 1 (event #12)
                …
                   why   mesh 1 (1x2 submesh of mesh 0) allocated no buffer there; the one there, 64 B, was allocated at event #8 by
                         mesh 0 (mesh 0)

                sum     4 allocated = 4 freed
            of two meshes that leak from one line is one finding that names both
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; allocate DRAM 0x1000 on 0, same line, mesh 1;
                close 1; close 0

                LEAK  128 B in 2 DRAM buffers, UNEXPLAINED; allocated in HistoryTests.java:3
                1. DRAM  2 x 64 B on device 0, allocated by mesh 0 (mesh 0) and mesh 1 (1x1 submesh of mesh 0)
                …
            names no mesh where all share nothing
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; witness CLOSE_BEGUN DRAM on 0: 0x1000; close;
                mesh 1 over 0; allocate DRAM 0x1000 on 0, mesh 1; witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close

                LEAK  128 B in 2 DRAM buffers, 2 findings; largest 64 B UNEXPLAINED

                1. DRAM  64 B on device 0 at 0x1000 (4096)
                …
                         the allocator reported 0x1000 (4096) as allocated when close began (event #4)
                2. DRAM  64 B on device 0 at 0x1000 (4096)
                …
                         the allocator reported 0x1000 (4096) as allocated when close began (event #10)
                …
                sum     2 allocated = 0 freed + 2 leaked
            names the device whose buffer lies over one of its mesh
                mesh 0 over 0..1; allocate L1 0x1000 on 0..1, owning, mesh 0, allocator MESH;
                allocate L1 0x1000 on 1, owning, allocator DEVICE; free L1 0x1000 on 1, owning, allocator DEVICE;
                free L1 0x1000 on 0..1, owning, mesh 0, allocator MESH; close

                …
                1. L1  64 B on device 1, allocated by the own allocator of device 1 at 0x1000 (4096), event #6
                …
                   why   it lies over 64 B at 0x1000 (4096), allocated by mesh 0 (mesh 0), event #5, freed by event #9
                …
            names the sub-device whose buffer lies under one of the mesh
                mesh 0 over 0..1; allocate L1 0x1000 on 0..1, owning, mesh 0, allocator SUB_DEVICE 1 of 3;
                allocate L1 0x1000 on 0..1, owning, mesh 0, allocator MESH; free L1 0x1000 on 0..1, owning, mesh 0, allocator MESH;
                free L1 0x1000 on 0..1, owning, mesh 0, allocator SUB_DEVICE 1 of 3; close

                OVERLAP  two allocators held the same memory at a time, so each may have overwritten the other's data: 2 buffers

                   fix   Free what one allocator holds before another reserves memory there, or allocate on the mesh only: a mesh, a
                         device and a sub-device have one each that knows nothing of the others.
                1. L1  2 x 64 B on devices 0-1, allocated by mesh 0 (mesh 0) at 0x1000 (4096), events #6 to #7
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   it lies over 64 B at 0x1000 (4096), allocated by sub-device 1 of manager 3 of mesh 0 (mesh 0), events #4 to #5,
                         freed by event #11
                   over  at dev.example.HistoryTests.story(HistoryTests.java:2)

                sum     4 allocated = 4 freed
                expect  @ExpectBuffers(type = L1, size = 64, atMost = 2, origin = "HistoryTests.story", overwritten = true, because = "…")
            """);
    }

    @Test
    void manyOverlapsAreCounted() {
        String text = ReportStory.report("mesh 0 over 0..3; mesh 1 in 0 over 0..1; "
                        + IntStream.range(0, 8)
                                .mapToObj(buffer ->
                                        "allocate DRAM %1$d on 0..1, view, mesh 0; allocate DRAM %1$d on 0..1, view, mesh 1"
                                                .formatted(buffer * 64))
                                .collect(Collectors.joining("; ")))
                .text();

        assertThat(text)
                .contains(
                        "\nOVERLAP  two meshes held the same memory at a time, so each may have overwritten the other's"
                                + " data: 16 buffers\n")
                .contains("\n9. 3 more overlaps of that kind\n");
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(40);
    }
}
