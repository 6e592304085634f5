package dev.meshguard.samples.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.difference.HistoryDifference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the comparison of a run with another page: it matches that of {@code meshguard diff}. */
@InChromium
class CompareTests {

    private static final AllocationHistory GREEN = history(true, 1024);
    private static final AllocationHistory RED = history(false, 4096);

    @TempDir
    static Path folder;

    private static Path red;
    private static Path green;

    @BeforeAll
    static void write() throws IOException {
        green = run(GREEN).writtenTo(Files.createDirectory(folder.resolve("green")));
        red = run(RED).writtenTo(Files.createDirectory(folder.resolve("red")));
    }

    /** A cache that only the red run keeps, a scratch buffer that is larger in it, and one buffer that only the green run has. */
    private static AllocationHistory history(boolean isGreen, long scratch) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.allocated(0, BufferType.DRAM, 1 << 20, 2048);
        tracker.allocated(0, BufferType.L1, 1 << 20, scratch);
        tracker.allocated(0, BufferType.DRAM, 1 << 21, 512);
        tracker.allocated(0, BufferType.DRAM, 1 << 22, 512);
        tracker.freed(0, BufferType.DRAM, 1 << 22);
        if (isGreen) {
            tracker.freed(0, BufferType.DRAM, 1 << 20);
        }
        tracker.freed(0, BufferType.DRAM, 1 << 21);
        tracker.freed(0, BufferType.L1, 1 << 20);
        tracker.meshClosed(0);
        tracker.checked();
        return tracker.history();
    }

    private static SampleRun run(AllocationHistory history) {
        return SampleRun.of("KvCacheTest.decode()", LeakCheck.create().examine(history));
    }

    @Test
    void namesWhatIsNewGoneAndLarger(Chromium chromium) {
        compare(chromium, red, green);

        assertThat(chromium.text("#compare-lead"))
                .isEqualTo("Compared with KvCacheTest.decode() (Clean): 1 new, 1 gone, 1 larger; 1 site alike.");
        assertThat(chromium.texts("#compare-table tbody tr"))
                .satisfiesExactly(
                        row -> assertThat(row).startsWith("larger+2 KiB0 B → 2 KiB"),
                        row -> assertThat(row).startsWith("new0 B0 B → 0 B+4 KiB0 B → 4 KiB0 → 1L1"),
                        row -> assertThat(row).startsWith("gone0 B0 B → 0 B−1 KiB1 KiB → 0 B1 → 0L1"));
        assertThat(chromium.texts("#compare-peaks li")).contains("L1 peak 1 KiB → 4 KiB (+3 KiB)");
        assertThat(chromium.all("#compare-table tbody tr"))
                .hasSameSizeAs(HistoryDifference.between(GREEN, RED).changes());
    }

    @Test
    void aPageComparedWithItselfIsAlikeThoughItsDataIsCompressed(Chromium chromium, @TempDir Path other) {
        Path model = SampleRuns.languageModel().writtenTo(other);

        compare(chromium, model, model);

        assertThat(chromium.text("#compare-lead")).contains("(Clean): both runs used memory alike; ");
        assertThat(chromium.all("#compare-table")).isEmpty();
    }

    @Test
    void readsTheJsonOfAPage(Chromium chromium) throws IOException {
        Path json = Files.writeString(
                folder.resolve("green.json"), run(GREEN).page().data());

        compare(chromium, red, json);

        assertThat(chromium.text("#compare-lead")).contains("1 new, 1 gone, 1 larger");
    }

    @Test
    void rejectsAFileThatIsNoPageOrOfAnotherVersion(Chromium chromium) throws IOException {
        compare(chromium, red, Files.writeString(folder.resolve("other.html"), "<html><p>Not a page</p></html>"));
        assertThat(chromium.text("#compare-result"))
                .isEqualTo("other.html is no page of a MeshGuard run, and not its JSON.");

        String json = run(GREEN).page().data().replace("\"version\":1,", "\"version\":2,");
        compare(chromium, red, Files.writeString(folder.resolve("later.json"), json));
        assertThat(chromium.text("#compare-result"))
                .startsWith("later.json is of version 2.1 of the page, and this page reads version 1.1 and later");
        assertThat(chromium.all("#compare-table")).isEmpty();
    }

    @Test
    void rejectsAFileThatIsTooLarge(Chromium chromium) {
        chromium.open(red);
        chromium.run(
                "const big = new File(['x'], 'big.html'); Object.defineProperty(big, 'size', {value: 70 * 1024 * 1024});"
                        + " const chooser = document.querySelector('#compare-file');"
                        + " Object.defineProperty(chooser, 'files', {value: [big]}); chooser.dispatchEvent(new Event('change'))");
        chromium.await("document.querySelector('#compare-result').dataset.file === 'big.html'");

        assertThat(chromium.text("#compare-result"))
                .startsWith("big.html has 70 MiB, and this page reads at most 64 MiB.");
    }

    private static void compare(Chromium chromium, Path page, Path with) {
        chromium.open(page);
        chromium.find("#compare-file").sendKeys(with.toString());
        chromium.await("document.querySelector('#compare-result').dataset.file === '" + with.getFileName() + "'");
    }
}
