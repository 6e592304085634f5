package dev.meshguard.report;

import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.budget.BudgetMetric;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.budget.BudgetViolation;
import dev.meshguard.verdict.budget.TopConsumer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    private static final int HOLDERS_SHOWN = 3;

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
        int kept = (verdict.uncounted() > 0 ? 1 : 0) + (reproduction.isPresent() ? 1 : 0) + (page.isPresent() ? 1 : 0);
        TruncatedText text = new TruncatedText(kept).section(headline(findings.size()), findings, lines -> lines);
        text.free(kept);
        if (findings.isEmpty()) {
            text.line("WITHIN BUDGET  " + Quantities.count(verdict.budgets().size(), "budget"));
        }
        if (verdict.uncounted() > 0) {
            text.line(String.format(
                    Locale.ROOT,
                    "Note: %s whose free was never reported %s not counted, because nobody knows until when %s",
                    Quantities.count(verdict.uncounted(), "buffer"),
                    verdict.uncounted() == 1 ? "is" : "are",
                    verdict.uncounted() == 1 ? "it was held" : "they were held"));
        }
        page.ifPresent(place -> text.line("Page: " + place));
        reproduction.ifPresent(command -> text.line("Reproduce: " + command));
        return text.text();
    }

    private String headline(int findings) {
        boolean isKnown =
                verdict.violations().stream().anyMatch(overrun -> !(overrun instanceof BudgetViolation.Unknown));
        return String.format(
                Locale.ROOT,
                isKnown ? "OVER BUDGET  %s" : "BUDGET NOT CHECKED  %s",
                Quantities.count(findings, "limit") + " of "
                        + Quantities.count(verdict.budgets().size(), "budget")
                        + (isKnown ? " not kept" : " cannot be checked"));
    }

    /** Devices with the same violation are one finding. */
    private List<List<String>> findings() {
        Map<Object, List<Integer>> devices = new LinkedHashMap<>();
        Map<Object, BudgetViolation> first = new LinkedHashMap<>();
        for (BudgetViolation overrun : verdict.violations()) {
            Object likeness = overrun instanceof BudgetViolation.Used used ? likeness(used) : overrun;
            first.putIfAbsent(likeness, overrun);
            List<Integer> together = devices.computeIfAbsent(likeness, unused -> new ArrayList<>());
            if (overrun instanceof BudgetViolation.Used used) {
                together.add(used.memory().device());
            }
        }
        List<List<String>> findings = new ArrayList<>();
        first.forEach((likeness, overrun) ->
                findings.add(description(findings.size() + 1, overrun, devices.getOrDefault(likeness, List.of()))));
        return findings;
    }

    private static Object likeness(BudgetViolation.Used used) {
        return List.of(used.budget(), used.measure(), used.memory().type(), used.found(), used.holders());
    }

    private static List<String> description(int number, BudgetViolation overrun, List<Integer> devices) {
        List<String> lines = new ArrayList<>();
        if (overrun instanceof BudgetViolation.Used used) {
            lines.add(number + ". " + used.memory().type() + " of " + DeviceNames.of(devices) + ": " + title(used));
            lines.add(INDENT + moment(used));
            holders(used, lines);
        } else if (overrun instanceof BudgetViolation.Broken broken) {
            FreeSpace reading = broken.reading();
            lines.add(
                    number + ". " + reading.type() + " of " + DeviceNames.of(reading.devices()) + ": " + title(broken));
            lines.add(String.format(
                    Locale.ROOT,
                    "%seach bank has %s free, and %s of it in one block",
                    INDENT,
                    Quantities.size(reading.freePerBank()),
                    Quantities.size(reading.largestFreePerBank())));
        } else if (overrun instanceof BudgetViolation.Unknown unknown) {
            lines.add(number + ". " + unknown.budget() + ": the " + name(unknown.measure()) + " cannot be checked");
            lines.add(INDENT + unknown.reason());
        }
        return lines;
    }

    private static String name(BudgetMetric measure) {
        return switch (measure) {
            case PEAK_BYTES -> "peak";
            case LIVE_BYTES -> "live bytes";
            case BUFFERS -> "number of buffers";
            case LARGEST_FREE_BLOCK -> "largest free block";
            case FRAGMENTATION -> "fragmentation";
        };
    }

    private static String title(BudgetViolation.Used used) {
        if (used.measure() == BudgetMetric.BUFFERS) {
            return String.format(
                    Locale.ROOT,
                    "%s at once, %d more than the budget of %d",
                    Quantities.count(used.found(), "buffer"),
                    used.found() - used.allowed(),
                    used.allowed());
        }
        return String.format(
                Locale.ROOT,
                "%s %s, %s over the budget of %s",
                used.measure() == BudgetMetric.PEAK_BYTES ? "peak" : "left at the end",
                Quantities.size(used.found()),
                Quantities.size(used.found() - used.allowed()),
                Quantities.size(used.allowed()));
    }

    private static String title(BudgetViolation.Broken broken) {
        return broken.measure() == BudgetMetric.FRAGMENTATION
                ? String.format(
                        Locale.ROOT,
                        "fragmentation %.1f %%, and at most %.1f %% is in the budget",
                        broken.reading().fragmentation() * 100,
                        broken.budget().fragmentation().orElse(1) * 100)
                : String.format(
                        Locale.ROOT,
                        "largest free block %s, and at least %s is in the budget",
                        Quantities.size(broken.reading().largestFreePerBank()),
                        Quantities.size(broken.budget().largestFreeBlock().orElse(0)));
    }

    private static String moment(BudgetViolation.Used used) {
        String circular = "circular buffers included: " + Quantities.size(used.circularBytes()) + " of it";
        return used.event() == 0
                ? "when is not known, because the past of what was freed was not kept; circular buffers are included"
                : String.format(Locale.ROOT, "at event #%d in %s; %s", used.event(), used.phase(), circular);
    }

    private static void holders(BudgetViolation.Used used, List<String> lines) {
        for (TopConsumer holder :
                used.holders().subList(0, Math.min(HOLDERS_SHOWN, used.holders().size()))) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%sheld %s in %s: %s",
                    INDENT,
                    Quantities.size(holder.bytes()),
                    Quantities.count(holder.buffers(), "buffer"),
                    holder.site()));
            holder.origin().flatMap(origin -> origin.site()).ifPresent(frame -> lines.add(INDENT + "-> at " + frame));
        }
        int more = used.holders().size() - HOLDERS_SHOWN;
        if (more > 0) {
            lines.add(INDENT + "… and " + Quantities.count(more, "more place"));
        }
    }
}
