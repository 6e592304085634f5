package dev.meshguard.report;

import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.report.internal.Alike;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.difference.HistoryDifference.PeakChange;
import dev.meshguard.verdict.difference.HistoryDifference.UsageChange;
import dev.meshguard.verdict.difference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The differences between two runs as a text for readers.
 *
 * <p>At most forty lines, the same in every locale.
 *
 * @param text the text
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record DifferenceReport(String text) {

    private static final String INDENT = "   ";
    private static final int KEPT_FOR_PEAKS = 8;

    /** Returns the report of the changes between two runs. */
    public static DifferenceReport of(HistoryDifference difference) {
        if (difference.isEmpty()) {
            return new DifferenceReport("SAME USAGE  both runs used memory alike");
        }
        return new DifferenceReport(new TruncatedText()
                .section(
                        "CHANGED  " + Quantities.count(difference.changes().size(), "site")
                                + " of allocation changed, what leaves more first",
                        difference.changes(),
                        DifferenceReport::description,
                        KEPT_FOR_PEAKS)
                .section("Peaks:", peaks(difference.peaks()), List::of, 0)
                .text());
    }

    private static List<String> description(UsageChange change) {
        List<String> lines = new ArrayList<>();
        lines.add(INDENT + change.name() + ": " + verdict(change));
        addCallSite(change.origin(), lines);
        SourceVocabulary words = change.words();
        addChange(words.allocated() + " ", allocated(words, change.before()), allocated(words, change.after()), lines);
        addChange("live ", live(words, change.before()), live(words, change.after()), lines);
        return lines;
    }

    private static void addChange(String what, String before, String after, List<String> lines) {
        if (!before.equals(after)) {
            lines.add(INDENT + INDENT + what + before + " -> " + after);
        }
    }

    private static String verdict(UsageChange change) {
        if (change.before().liveBuffers() == 0 && change.after().liveBuffers() > 0) {
            return "new survivors";
        }
        if (change.additionalLiveBytes() != 0) {
            return "leaves " + signed(change.additionalLiveBytes(), Quantities::size);
        }
        if (change.additionalLiveBuffers() != 0) {
            return "leaves " + signed(change.additionalLiveBuffers(), change.words()::count);
        }
        if (change.before().buffers() == 0) {
            return "new";
        }
        if (change.after().buffers() == 0) {
            return "gone";
        }
        return "asks for "
                + (change.moreBytes() == 0
                        ? signed(change.after().buffers() - change.before().buffers(), change.words()::count)
                        : signed(change.moreBytes(), Quantities::size));
    }

    private static List<String> peaks(List<PeakChange> peaks) {
        return Alike.of(
                        peaks,
                        peak -> List.of(peak.memory().type(), peak.before(), peak.after()),
                        peak -> peak.memory().device())
                .stream()
                .map(alike -> INDENT + DeviceNames.memory(alike.first().memory().type(), alike.devices()) + ": "
                        + Quantities.size(alike.first().before()) + " -> "
                        + Quantities.size(alike.first().after()) + ", "
                        + signed(alike.first().after() - alike.first().before(), Quantities::size))
                .toList();
    }

    private static String allocated(SourceVocabulary words, Usage usage) {
        return amount(words, usage.buffers(), usage.bytes());
    }

    private static String live(SourceVocabulary words, Usage usage) {
        return amount(words, usage.liveBuffers(), usage.liveBytes());
    }

    private static void addCallSite(Optional<Origin> origin, List<String> lines) {
        origin.flatMap(Origin::site).ifPresent(frame -> lines.add(INDENT + INDENT + "at " + frame));
    }

    private static String amount(SourceVocabulary words, long units, long bytes) {
        if (units == 0 && bytes == 0) {
            return "nothing";
        }
        boolean isOfUnknownSize = bytes == 0 && !words.hasDevices();
        return words.count(units) + (isOfUnknownSize ? "" : " of " + Quantities.size(bytes));
    }

    private static String signed(long amount, LongFunction<String> text) {
        return text.apply(Math.abs(amount)) + (amount < 0 ? " less" : " more");
    }
}
