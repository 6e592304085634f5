package dev.meshguard.report;

import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.BudgetViolation;
import dev.meshguard.verdict.budget.TopConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The text of an exceeded budget: the excess, its time, and the top consumers at that time.
 *
 * <p>At most forty lines, the same in every locale. Immutable and safe for use by several threads.
 *
 * @param verdict the reported verdict
 * @param reproduction the command that reproduces it, if there is one
 * @param page the location of a page that shows it, if one was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BudgetReport(BudgetVerdict verdict, Optional<String> reproduction, Optional<String> page) {

    private static final String INDENT = "   ";
    private static final int MAX_CONSUMERS = 3;

    /** Returns the report of a verdict. */
    public static BudgetReport of(BudgetVerdict verdict) {
        return new BudgetReport(verdict, Optional.empty(), Optional.empty());
    }

    /** Returns this report with the command that reproduces it. */
    public BudgetReport reproducedBy(String command) {
        return new BudgetReport(verdict, Optional.of(command), page);
    }

    /** Returns this report with the location of a page that shows it. */
    public BudgetReport shownAt(String place) {
        return new BudgetReport(verdict, reproduction, Optional.of(place));
    }

    /** Returns the report as text. */
    public String text() {
        List<List<String>> findings = findings();
        int kept = (verdict.excludedBuffers() > 0 ? 1 : 0)
                + (reproduction.isPresent() ? 1 : 0)
                + (page.isPresent() ? 1 : 0);
        TruncatedText text = new TruncatedText(kept).section(headline(findings.size()), findings, lines -> lines);
        text.free(kept);
        if (findings.isEmpty()) {
            text.line("WITHIN BUDGET  " + Quantities.count(verdict.budgets().size(), "budget"));
        }
        if (verdict.excludedBuffers() > 0) {
            text.line(String.format(
                    Locale.ROOT,
                    "note    %s whose free was never reported %s not counted, because it is unknown until when %s",
                    Quantities.count(verdict.excludedBuffers(), "buffer"),
                    verdict.excludedBuffers() == 1 ? "is" : "are",
                    verdict.excludedBuffers() == 1 ? "it was held" : "they were held"));
        }
        page.ifPresent(place -> text.line("page    " + place));
        reproduction.ifPresent(command -> text.line("rerun   " + command));
        return text.text();
    }

    private String headline(int findings) {
        boolean isKnown = verdict.violations().stream()
                .anyMatch(violation -> !(violation instanceof BudgetViolation.NotCheckable));
        return String.format(
                Locale.ROOT,
                isKnown ? "OVER BUDGET  %s" : "BUDGET NOT CHECKED  %s",
                Quantities.count(findings, "limit") + " of "
                        + Quantities.count(verdict.budgets().size(), "budget")
                        + (isKnown ? " not met" : " cannot be checked"));
    }

    /** Devices with the same violation are one finding. */
    private List<List<String>> findings() {
        List<List<String>> findings = new ArrayList<>();
        for (Alike<BudgetViolation> alike :
                Alike.of(verdict.violations(), BudgetReport::likeness, BudgetReport::deviceOf)) {
            findings.add(description(findings.size() + 1, alike.first(), alike.devices()));
        }
        return findings;
    }

    private static int deviceOf(BudgetViolation violation) {
        return violation instanceof BudgetViolation.Exceeded exceeded
                ? exceeded.memory().device()
                : HistoryEvent.NO_DEVICE;
    }

    private static Object likeness(BudgetViolation violation) {
        return violation instanceof BudgetViolation.Exceeded exceeded
                ? List.of(
                        exceeded.budget(),
                        exceeded.metric(),
                        exceeded.memory().type(),
                        exceeded.found(),
                        exceeded.topConsumers())
                : violation;
    }

    private static List<String> description(int number, BudgetViolation violation, List<Integer> devices) {
        List<String> lines = new ArrayList<>();
        if (violation instanceof BudgetViolation.Exceeded exceeded) {
            lines.add(number + ". " + DeviceNames.memory(exceeded.memory().type(), devices) + ": " + title(exceeded));
            lines.add(INDENT + moment(exceeded));
            topConsumers(exceeded, lines);
        } else if (violation instanceof BudgetViolation.Fragmented fragmented) {
            FreeSpace freeSpace = fragmented.freeSpace();
            lines.add(number + ". " + DeviceNames.memory(freeSpace.type(), freeSpace.devices()) + ": "
                    + title(fragmented));
            lines.add(String.format(
                    Locale.ROOT,
                    "%seach bank has %s free, and %s of it in one block",
                    INDENT,
                    Quantities.size(freeSpace.freePerBank()),
                    Quantities.size(freeSpace.largestFreePerBank())));
        } else if (violation instanceof BudgetViolation.NotCheckable unknown) {
            lines.add(number + ". " + unknown.budget() + ": the " + name(unknown.metric()) + " cannot be checked");
            lines.add(INDENT + unknown.reason());
        }
        return lines;
    }

    private static String name(BudgetMetric metric) {
        return switch (metric) {
            case PEAK_BYTES -> "peak";
            case LIVE_BYTES -> "live bytes";
            case BUFFERS -> "number of buffers";
            case LARGEST_FREE_BLOCK -> "largest free block";
        };
    }

    private static String title(BudgetViolation.Exceeded exceeded) {
        if (exceeded.metric() == BudgetMetric.BUFFERS) {
            return String.format(
                    Locale.ROOT,
                    "%s at once, %d more than the budget of %d",
                    Quantities.count(exceeded.found(), "buffer"),
                    exceeded.found() - exceeded.allowed(),
                    exceeded.allowed());
        }
        return String.format(
                Locale.ROOT,
                "%s %s, %s over the budget of %s",
                exceeded.metric() == BudgetMetric.PEAK_BYTES ? "peak" : "live at the end",
                Quantities.size(exceeded.found()),
                Quantities.size(exceeded.found() - exceeded.allowed()),
                Quantities.size(exceeded.allowed()));
    }

    private static String title(BudgetViolation.Fragmented fragmented) {
        return String.format(
                Locale.ROOT,
                "largest free block %s, and at least %s is in the budget",
                Quantities.size(fragmented.freeSpace().largestFreePerBank()),
                Quantities.size(fragmented.budget().limit(fragmented.metric()).orElse(0)));
    }

    private static String moment(BudgetViolation.Exceeded exceeded) {
        return String.format(
                Locale.ROOT,
                "at event #%d in %s; circular buffers included: %s of it",
                exceeded.event(),
                exceeded.phase(),
                Quantities.size(exceeded.circularBytes()));
    }

    private static void topConsumers(BudgetViolation.Exceeded exceeded, List<String> lines) {
        for (TopConsumer consumer : exceeded.topConsumers()
                .subList(0, Math.min(MAX_CONSUMERS, exceeded.topConsumers().size()))) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%sheld %s in %s: %s",
                    INDENT,
                    Quantities.size(consumer.bytes()),
                    Quantities.count(consumer.buffers(), "buffer"),
                    consumer.site()));
            consumer.origin().flatMap(origin -> origin.site()).ifPresent(frame -> lines.add(INDENT + "at " + frame));
        }
        int more = exceeded.topConsumers().size() - MAX_CONSUMERS;
        if (more > 0) {
            lines.add(INDENT + "… and " + Quantities.count(more, "more call site"));
        }
    }
}
