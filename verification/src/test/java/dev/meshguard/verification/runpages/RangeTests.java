package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.SurvivorStatus;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a selected range of events filters origins, devices and growth too, and that one button shows the whole run. */
@InChromium
class RangeTests {

    private static final SampleRun LEAK = SampleRuns.leak();
    private static final long FROM = 100;
    private static final long TO = 300;

    @TempDir
    static Path folder;

    private static Path file;

    @BeforeAll
    static void write() {
        file = LEAK.writtenTo(folder);
    }

    @Test
    void theOriginsAreThoseOfTheRange(Chromium chromium) {
        chromium.open(file);
        Object whole = total(chromium, "count");
        select(chromium, FROM, TO);

        assertThat(total(chromium, "count"))
                .isNotEqualTo(whole)
                .isEqualTo(String.valueOf(
                        generations().stream().filter(RangeTests::isAllocatedIn).count()));
        assertThat(total(chromium, "peak")).isEqualTo(String.valueOf(peak()));
        assertThat(total(chromium, "leaked"))
                .isEqualTo(String.valueOf(LEAK.verdict().groups(SurvivorStatus.LEAKED).stream()
                        .flatMap(group -> group.survivors().stream())
                        .filter(survivor -> isAllocatedIn(survivor.buffer()))
                        .mapToLong(survivor -> survivor.buffer().size())
                        .sum()));
        assertThat(chromium.value("document.querySelectorAll('#icicle-tree .cell').length > 3"))
                .isEqualTo(true);
    }

    @Test
    void theMatrixHasTheBytesOfTheRange(Chromium chromium) {
        chromium.open(file);
        select(chromium, FROM, TO);

        for (int device = 0; device < 8; device++) {
            long live = liveAt(device, TO);
            assertThat(chromium.find("#matrix-table td[data-device='" + device + "'][data-type=DRAM]")
                            .getDomAttribute("data-live"))
                    .as("device %s", device)
                    .isEqualTo(String.valueOf(live));
        }
    }

    @Test
    void eachViewSaysThatItIsFilteredAndOneButtonShowsTheWholeRun(Chromium chromium) {
        chromium.open(file);
        String before = chromium.text("#matrix-table");
        assertThat(chromium.value(NOTES)).isEqualTo(0L);
        select(chromium, FROM, TO);

        assertThat(chromium.value(NOTES)).isEqualTo(3L);
        assertThat(chromium.text("#icicle .filtered")).isEqualTo("Only events #100 to #300. Show the whole run");

        chromium.click("#matrix .filtered button");
        chromium.await("Cursor.range === undefined");
        assertThat(chromium.value(NOTES)).isEqualTo(0L);
        assertThat(chromium.text("#matrix-table")).isEqualTo(before);
    }

    @Test
    void growthShowsTheRoundsOfTheRange(Chromium chromium, @TempDir Path other) {
        SampleRun growing = SampleRuns.growing();
        chromium.open(growing.writtenTo(other));
        List<Long> began = growing.verdict().history().events().stream()
                .filter(HistoryEvent.RoundBegan.class::isInstance)
                .map(HistoryEvent::number)
                .toList();

        select(chromium, began.get(1), began.get(4) - 1);

        assertThat(chromium.text("#growth-range")).startsWith("3 rounds of 6 began in the range.");
        long bytes = growing.verdict().history().generations().stream()
                .filter(generation -> generation.allocatedAt() < began.get(4))
                .filter(BufferGeneration::isLive)
                .mapToLong(BufferGeneration::size)
                .sum();
        assertThat(chromium.texts("#growth-table td[data-key=memory]")).containsExactly(Quantities.size(bytes));

        chromium.click("#growth .filtered button");
        chromium.await("document.querySelector('#growth-range').textContent === ''");
    }

    private static final String NOTES =
            "document.querySelectorAll('section:not([hidden]) > .filtered:not([hidden])').length";

    private static void select(Chromium chromium, long from, long to) {
        chromium.run("Cursor.showRange([" + from + ", " + to + "])");
    }

    private static Object total(Chromium chromium, String mode) {
        chromium.run("document.querySelector('input[name=icicle-mode][value=" + mode + "]').click()");
        chromium.await("document.querySelector('#icicle-tree').dataset.mode === '" + mode + "'");
        return chromium.value("document.querySelector('#icicle-tree').dataset.total");
    }

    private static List<BufferGeneration> generations() {
        return LEAK.verdict().history().generations();
    }

    private static boolean isAllocatedIn(BufferGeneration generation) {
        return generation.allocatedAt() >= FROM && generation.allocatedAt() <= TO;
    }

    private static long peak() {
        long most = 0;
        for (long event = FROM; event <= TO; event++) {
            long sum = 0;
            for (BufferGeneration generation : generations()) {
                sum += isLiveAt(generation, event) ? generation.size() : 0;
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    private static long liveAt(int device, long event) {
        return generations().stream()
                .filter(generation -> generation.device() == device && generation.type() == BufferType.DRAM)
                .filter(generation -> isLiveAt(generation, event))
                .mapToLong(BufferGeneration::size)
                .sum();
    }

    private static boolean isLiveAt(BufferGeneration generation, long event) {
        return generation.allocatedAt() <= event && generation.freedAt().orElse(Long.MAX_VALUE) > event;
    }
}
