package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.tracker.AllocationTracker;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that buffers of several sizes from one line are one finding on the page. */
@InChromium
class FoldedFindingsTests {

    private static Path file;

    @BeforeAll
    static void write() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x4 mesh", List.of(0, 1, 2, 3)));
        load(tracker, 0);
        load(tracker, 1);
        load(tracker, 2);
        tracker.meshClosed(0);
        file = SampleRun.of("ModelTest.loads()", tracker).file();
    }

    private static void load(AllocationTracker tracker, int device) {
        tracker.allocated(device, BufferType.DRAM, 0x10000, 1024L * (device + 1));
    }

    @Test
    void namesTheCallersOfTheLineInTheHead(Chromium chromium) {
        chromium.open(file);

        assertThat(chromium.texts("#largest .where"))
                .hasSize(4)
                .first()
                .asString()
                .contains("FoldedFindingsTests.load(");
        assertThat(chromium.texts("#largest .caller"))
                .hasSize(3)
                .allMatch(line -> line.contains("FoldedFindingsTests.write("));
    }

    @Test
    void isOneRowWithTheSumOfItsGroups(Chromium chromium) {
        chromium.open(file);

        assertThat(chromium.all("#groups-table tbody tr[data-index]")).hasSize(1);
        assertThat(chromium.text("#finding-1 [data-key=bytes]")).isEqualTo("6 KiB");
        assertThat(chromium.text("#finding-1 [data-key=count]")).isEqualTo("3");
        assertThat(chromium.all("#finding-1 .dots svg:not(.mark-clean)")).hasSize(3);
        assertThat(chromium.text("#largest .what")).startsWith("6 KiB in 3 DRAM buffers on 3 devices");
    }

    @Test
    void listsItsSizesAndHasOneEntryForAll(Chromium chromium) {
        chromium.open(file);

        assertThat(chromium.texts("#finding-1 + .detail .sizes li"))
                .hasSize(3)
                .element(1)
                .asString()
                .startsWith("1 x 2 KiB (2048 B) on device 1, fingerprint ");
        assertThat(chromium.texts("#finding-1 + .detail .paste-annotation code"))
                .singleElement()
                .asString()
                .contains("atMost = 3")
                .doesNotContain("size");
    }

    @Test
    void isOpenedByALinkToEachOfItsGroups(Chromium chromium) {
        chromium.open(file, "#finding-1.2");

        assertThat(chromium.isExpanded("#finding-1 .opener")).isTrue();
    }
}
