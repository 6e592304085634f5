package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.text.PrintableText;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.difference.HistoryDifference;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** No report passes control characters of a text to a terminal. */
class PrintedReportsTests {

    private static final String HOSTILE = "a\u001b[2J\u009b1m\u2028b\rCLEAN\n2. forged\u202e";

    @Test
    void aVerdictIsPrintable() {
        LeakVerdict verdict = LeakCheck.create().examine(history());

        assertPrintable(VerdictReport.of(verdict)
                .noting(HOSTILE)
                .reproducedBy(HOSTILE)
                .shownAt(HOSTILE)
                .text());
    }

    @Test
    void aDifferenceIsPrintable() {
        AllocationHistory nothing = AllocationTracker.create().history();

        assertPrintable(DifferenceReport.of(HistoryDifference.between(nothing, history()))
                .text());
    }

    @Test
    void aBudgetIsPrintable() {
        BudgetVerdict verdict = BudgetVerdict.of(
                LeakCheck.create().examine(history()),
                List.of(BudgetSpec.of(BufferType.DRAM).peakBytes(1)),
                List.of());

        assertPrintable(BudgetReport.of(verdict).text());
    }

    @Test
    void theStoryOfABufferIsPrintable() {
        LeakVerdict verdict = LeakCheck.create().examine(history());

        assertPrintable(
                BufferTimeline.of(verdict.history(), verdict.survivors().get(0).buffer())
                        .text());
    }

    private static void assertPrintable(String text) {
        assertThat(text).contains("a\\u001b[2J");
        assertThat(text.codePoints().filter(character -> character != '\n')).allMatch(PrintableText::isPrintable);
        assertThat(text.lines()).noneMatch(line -> line.startsWith("2. forged"));
    }

    private static AllocationHistory history() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh " + HOSTILE, List.of(0)));
        tracker.phase(new Phase(HOSTILE));
        var frame = new StackTraceElement(HOSTILE, HOSTILE, HOSTILE, 4);
        MemoryRequest request =
                MemoryRequest.restored(AllocationDetails.user().labelled(HOSTILE), Optional.of(Origin.of(frame)));
        tracker.allocated(request, 0, BufferType.DRAM, 4096, 1024, Ownership.OWNING);
        tracker.meshClosed(0);
        return tracker.history();
    }
}
