package dev.meshguard.report;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.report.internal.Alike;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.BudgetViolation;
import java.util.ArrayList;
import java.util.List;
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

    /** Returns the report as text. */
    public String text() {
        List<String> end = new ArrayList<>();
        if (verdict.excludedBuffers() > 0) {
            boolean isOne = verdict.excludedBuffers() == 1;
            end.add("note    " + Quantities.count(verdict.excludedBuffers(), "buffer")
                    + " whose free was never reported "
                    + (isOne ? "is" : "are") + " not counted, because it is unknown until when "
                    + (isOne ? "it was held" : "they were held"));
        }
        page.ifPresent(place -> end.add("page    " + place));
        reproduction.ifPresent(command -> end.add("rerun   " + command));
        List<List<String>> findings = findings();
        TruncatedText text =
                new TruncatedText().section(headline(findings.size()), findings, lines -> lines, end.size());
        if (findings.isEmpty()) {
            text.line("WITHIN BUDGET  " + Quantities.count(verdict.budgets().size(), "budget"));
        }
        end.forEach(text::line);
        return text.text();
    }

    private String headline(int findings) {
        boolean isKnown = verdict.violations().stream()
                .anyMatch(violation -> !(violation instanceof BudgetViolation.NotCheckable));
        return (isKnown ? "OVER BUDGET  " : "BUDGET NOT CHECKED  ") + Quantities.count(findings, "limit") + " of "
                + Quantities.count(verdict.budgets().size(), "budget")
                + (isKnown ? " not met" : " cannot be checked");
    }

    /** Devices with the same violation are one finding. */
    private List<List<String>> findings() {
        List<List<String>> findings = new ArrayList<>();
        for (Alike<BudgetViolation> alike :
                Alike.of(verdict.violations(), BudgetReport::likeness, BudgetReport::deviceOf)) {
            findings.add(description((findings.size() + 1) + ". ", alike.first(), alike.devices()));
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

    private static List<String> description(String number, BudgetViolation violation, List<Integer> devices) {
        List<String> lines = new ArrayList<>();
        if (violation instanceof BudgetViolation.Exceeded exceeded) {
            lines.add(number + DeviceNames.memory(exceeded.memory().type(), devices) + ": " + excess(exceeded));
            String circular = "; circular buffers included: " + Quantities.size(exceeded.circularBytes()) + " of it";
            lines.add(INDENT + "at event #" + exceeded.event() + " in " + exceeded.phase()
                    + (exceeded.memory().device() == HistoryEvent.NO_DEVICE ? "" : circular));
            lines.addAll(topConsumers(exceeded));
        } else if (violation instanceof BudgetViolation.Fragmented fragmented) {
            FreeSpace freeSpace = fragmented.freeSpace();
            String largest = Quantities.size(freeSpace.largestFreePerBank());
            lines.add(number + DeviceNames.memory(freeSpace.type(), freeSpace.devices()) + ": largest free block "
                    + largest + ", and at least "
                    + Quantities.size(
                            fragmented.budget().limit(fragmented.metric()).orElse(0)) + " is in the budget");
            lines.add(INDENT + "each bank has " + Quantities.size(freeSpace.freePerBank()) + " free, and " + largest
                    + " of it in one block");
        } else if (violation instanceof BudgetViolation.NotCheckable unknown) {
            lines.add(number + unknown.budget() + ": the " + name(unknown.metric()) + " cannot be checked");
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

    private static String excess(BudgetViolation.Exceeded exceeded) {
        long excess = exceeded.found() - exceeded.allowed();
        return exceeded.metric() == BudgetMetric.BUFFERS
                ? Quantities.count(exceeded.found(), "buffer") + " at once, " + excess + " more than the budget of "
                        + exceeded.allowed()
                : (exceeded.metric() == BudgetMetric.PEAK_BYTES ? "peak " : "live at the end ")
                        + Quantities.size(exceeded.found()) + ", " + Quantities.size(excess) + " over the budget of "
                        + Quantities.size(exceeded.allowed());
    }

    private static List<String> topConsumers(BudgetViolation.Exceeded exceeded) {
        List<String> lines = new ArrayList<>();
        exceeded.topConsumers().stream().limit(MAX_CONSUMERS).forEach(consumer -> {
            lines.add(INDENT + "held " + (consumer.bytes() == 0 ? "" : Quantities.size(consumer.bytes()) + " in ")
                    + consumer.words().count(consumer.buffers()) + ": " + consumer.name());
            consumer.origin().flatMap(Origin::site).ifPresent(frame -> lines.add(INDENT + "at " + frame));
        });
        int more = exceeded.topConsumers().size() - MAX_CONSUMERS;
        if (more > 0) {
            lines.add(INDENT + "… and " + Quantities.count(more, "more call site"));
        }
        return lines;
    }
}
