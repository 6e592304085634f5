package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.Statistics;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the address space of the allocators at an event: it matches the allocator's own statistics. */
@InChromium
class AddressSpaceTests {

    private static final long MIB = 1 << 20;

    /** The allocator's statistics by the number of the last event before them. */
    private static final Map<Long, Statistics> MEASURED = new TreeMap<>();

    private static Path file;

    @BeforeAll
    static void write() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        try (Scope test = tracker.phase(Phase.TEST)) {
            List<MeshBuffer> buffers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                buffers.add(mesh.allocate(BufferType.DRAM, (1L + i % 7) * 12 * MIB));
                measure(tracker, mesh);
            }
            for (int i = 0; i < 40; i += 3) {
                buffers.get(i).deallocate();
                measure(tracker, mesh);
            }
            buffers.stream().filter(MeshBuffer::isAllocated).skip(4).forEach(MeshBuffer::deallocate);
        }
        ttnn.closeMeshDevice(mesh);
        file = SampleRun.of("t", tracker).file();
    }

    private static void measure(AllocationTracker tracker, MeshDevice mesh) {
        int last = tracker.history().events().size() - 1;
        MEASURED.put(tracker.history().events().get(last).number(), mesh.statistics(BufferType.DRAM));
    }

    @Test
    void hasTheFreeBytesAndTheLargestFreeBlockOfTheAllocator(Chromium chromium) {
        open(chromium, "");

        assertThat(chromium.promised("""
                (async () => {
                    const seen = [];
                    const texts = name => [...document.querySelectorAll(`[data-devices='0,1,2,3,4,5,6,7'] [data-figure=${name}]`)].map(one => one.textContent);
                    for (const event of %s) {
                        Cursor.event.set(event);
                        while (document.querySelector('#space-event').value !== String(event)) {
                            await new Promise(requestAnimationFrame);
                        }
                        seen.push(`#${event}: ${texts('free')}, ${texts('largest')}, ${SpaceModel.of().largestFree('DRAM', event)} B`);
                    }
                    return seen.join('\\n');
                })()""".formatted(MEASURED.keySet())))
                .as("free bytes and the largest free block, as shown and as counted, after each event")
                .isEqualTo(MEASURED.entrySet().stream()
                        .map(one -> "#" + one.getKey() + ": "
                                + Quantities.shortSize(one.getValue().totalFree()) + ", "
                                + Quantities.shortSize(one.getValue().largestFree()) + ", "
                                + one.getValue().largestFree() + " B")
                        .collect(Collectors.joining("\n")));
        assertThat(MEASURED.values()).anyMatch(one -> one.largestFree() < one.totalFree());
    }

    @Test
    void beginsAtThePeakAndFollowsTheEventOfTheAddress(Chromium chromium) {
        open(chromium, "");
        chromium.readData();

        assertThat(chromium.input("#space-event")).isEqualTo(chromium.value("pageData.peak.event.toString()"));
        assertThat(chromium.text("#space-moment")).endsWith("the peak of the run");

        chromium.run("const input = document.querySelector('#space-event'); input.value = 20;"
                + " input.dispatchEvent(new Event('input'))");
        chromium.await("location.hash === '#space-20'");
        assertThat(chromium.text("#cursor")).startsWith("Event #20");

        open(chromium, "#space-15");
        assertThat(chromium.input("#space-event")).isEqualTo("15");
    }

    @Test
    void showsDetailsAtThePointerOnTheMapAndInATable(Chromium chromium) {
        open(chromium, "#space-197");
        chromium.scrollTo("#space-strips canvas");
        assertThat(chromium.pointAt("#space-strips canvas", 30, 10)).contains("in each bank");

        chromium.click("#space-blocks summary");
        chromium.await("document.querySelectorAll('#space-table tbody tr').length > 0");
        assertThat(chromium.all("#space-table tbody tr"))
                .hasSize(Integer.parseInt(chromium.text("[data-figure=blocks]")));

        chromium.click("#space-strips canvas");
        chromium.await("!document.querySelector('#map-details').hidden");
        assertThat(chromium.value("location.hash").toString()).startsWith("#buffer-");
        assertThat(chromium.texts("#space-table [data-key=address] a"))
                .contains("0x" + chromium.text("#map-details").replaceAll("(?s).* at 0x([0-9a-f]+) .*", "$1"));
    }

    @Test
    void liveBytesNameTheLargestFreeBlockAtThePointer(Chromium chromium) {
        open(chromium, "");
        chromium.scrollTo("#live-chart");

        assertThat(chromium.pointAt("#live-chart", 500, 150))
                .containsPattern("largest free block [0-9.]+ MiB in each bank");
    }

    private static void open(Chromium chromium, String place) {
        chromium.open(file, place);
        chromium.scrollTo("#space");
        chromium.await("document.querySelector('.space-strip') !== null");
    }
}
