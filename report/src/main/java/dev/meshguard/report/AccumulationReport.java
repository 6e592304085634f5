package dev.meshguard.report;

import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.OwnerNames;
import dev.meshguard.report.internal.Alike;
import dev.meshguard.report.internal.DeviceNames;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.CachedPrograms;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.CacheMiss;
import dev.meshguard.verdict.growth.MemoryGrowth;
import dev.meshguard.verdict.growth.ProgramCacheGrowth;
import dev.meshguard.verdict.growth.RoundVector;
import dev.meshguard.verdict.growth.SiteGrowth;
import dev.meshguard.verdict.growth.Trend;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The text about memory that accumulates over repeated rounds: the slope of each memory, followed by the lines of code
 * that cause it.
 *
 * <p>At most forty lines, the same in every locale. Immutable and safe for use by several threads.
 *
 * @param accumulation the reported accumulation
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AccumulationReport(Accumulation accumulation) {

    private static final String INDENT = "   ";
    private static final int KEPT_FOR_SITES = 12;
    private static final int MAX_MISSES = 4;
    private static final int MAX_OWNERS = 3;
    private static final int MAX_CHARACTERS_OF_ROUNDS = 40;

    /** Returns the report of an accumulation. */
    public static AccumulationReport of(Accumulation accumulation) {
        return new AccumulationReport(accumulation);
    }

    /** Returns the report as text. */
    public String text() {
        TruncatedText text = new TruncatedText().line(headline());
        accumulation.inconclusiveReasons().forEach(text::line);
        if (accumulation.memory().isEmpty()) {
            text.line("No round retained or freed memory.");
        }
        text.section(
                "Memory retained by each round, in bytes:",
                memories(growth -> growth.units().isEmpty()),
                AccumulationReport::description,
                KEPT_FOR_SITES);
        text.section(
                "Memory of unknown size retained by each round, by number:",
                memories(growth -> growth.units().isPresent()),
                AccumulationReport::description,
                KEPT_FOR_SITES);
        text.section("Call sites, the worst first:", accumulation.sites(), this::description, 0);
        boolean growsWithTheCache = accumulation.sites().stream()
                .filter(site -> site.trend() == Trend.GROWING)
                .anyMatch(site -> !accumulation.cachedPrograms(site).isEmpty());
        if (growsWithTheCache) {
            text.line("Fix: " + CachedPrograms.FIX);
        }
        return text.text();
    }

    /** Returns the growth of the program cache by each operation as text, the worst first. */
    public String programCacheText() {
        List<ProgramCacheGrowth> growths = accumulation.programCache();
        TruncatedText text = new TruncatedText().line(headlineOfRounds());
        accumulation.inconclusiveReasons().forEach(text::line);
        if (growths.isEmpty()) {
            text.line("No source reported that a cache keeps a program.");
        }
        if (growths.size() > 1) {
            text.line("Programs in the program cache, change by each round: " + accumulation.cachedPrograms());
        }
        text.section(
                "Programs in the program cache by operation, change by each round:",
                growths,
                AccumulationReport::description,
                1);
        if (accumulation.programCacheTrend() == Trend.GROWING) {
            text.line("Fix: pad the shapes that miss to a few sizes, or clear the program cache.");
        }
        return text.text();
    }

    private static List<String> description(ProgramCacheGrowth growth) {
        List<String> lines = new ArrayList<>();
        lines.add(INDENT + growth.operation().orElse("operation not reported") + "  " + growth.programs() + "  "
                + trend(growth) + "; " + Quantities.count(growth.programsAtEnd(), "program")
                + " after the last round with binaries of "
                + Quantities.size(growth.bytesAtEnd()) + perBank(growth));
        List<CacheMiss> misses = growth.missesAfterWarmUp();
        int omitted = Math.max(0, misses.size() - MAX_MISSES);
        if (omitted > 0) {
            lines.add(INDENT + INDENT + "missed " + Quantities.count(omitted, "time") + " before, after the warm-up");
        }
        misses.stream().skip(omitted).forEach(miss -> lines.add(INDENT + INDENT + description(miss)));
        return lines;
    }

    private static String perBank(ProgramCacheGrowth growth) {
        OptionalLong bytes = growth.bytesPerBankAtEnd();
        return bytes.isPresent() ? ", " + Quantities.size(bytes.getAsLong()) + " in each bank" : "";
    }

    private static String description(CacheMiss miss) {
        return "missed in round " + miss.round() + ": "
                + miss.key()
                        .map(key -> String.join(", ", key.properties()))
                        .orElse(miss.program().toString());
    }

    private static String trend(ProgramCacheGrowth growth) {
        RoundVector programs = growth.programs();
        return trend(programs, programs.growth() + " in " + Quantities.count(programs.roundsCounted(), "round"));
    }

    private static String trendInRounds(RoundVector retained, String perRound) {
        return trend(retained, perRound + ", in " + rounds(retained));
    }

    /** Returns the rounds after the warm-up that retained more than they freed. */
    private static String rounds(RoundVector retained) {
        List<Integer> grown = retained.amounts().entrySet().stream()
                .filter(amount -> amount.getKey() > retained.warmUp() && amount.getValue() > 0)
                .map(Map.Entry::getKey)
                .toList();
        String ranges = Quantities.ranges(grown, ", ");
        if (ranges.length() > MAX_CHARACTERS_OF_ROUNDS) {
            return grown.size() + " of the rounds " + grown.get(0) + "-" + grown.get(grown.size() - 1);
        }
        return (grown.size() == 1 ? "round " : "rounds ") + ranges;
    }

    private static String trend(RoundVector rounds, String growth) {
        return switch (rounds.trend()) {
            case GROWING -> "growing by " + growth;
            case UNDECIDED ->
                "undecided, at least " + Quantities.count(rounds.roundsNeeded(), "more round") + " needed";
            case SETTLED, SETTLING -> rounds.trend().description();
        };
    }

    private List<Alike<MemoryGrowth>> memories(Predicate<MemoryGrowth> kind) {
        return Alike.memories(accumulation).stream()
                .filter(alike -> kind.test(alike.first()))
                .toList();
    }

    private String headlineOfRounds() {
        return Quantities.count(accumulation.rounds(), "round")
                + switch (accumulation.warmUp()) {
                    case 0 -> "";
                    case 1 -> ", the first for warming up";
                    default -> ", the first " + accumulation.warmUp() + " for warming up";
                };
    }

    private String headline() {
        return accumulation.trend() + "  " + headlineOfRounds() + " · "
                + switch (accumulation.trend()) {
                    case SETTLED -> "memory grows by " + nothing() + " per round";
                    case SETTLING -> "memory grew after the warm-up, and grows by " + nothing() + " per round now";
                    case GROWING -> slopes();
                    case UNDECIDED -> "it cannot be known whether memory grows";
                };
    }

    /** Returns {@code 0 B}, or {@code 0 RocksIterator} if all is of unknown size. */
    private String nothing() {
        return accumulation.memory().isEmpty()
                ? Quantities.size(0)
                : accumulation.memory().get(0).text(0);
    }

    private String slopes() {
        List<String> slopes = memories(growth -> growth.amounts().trend() == Trend.GROWING).stream()
                .map(alike -> (isOfObjects(alike.first()) ? "" : DeviceNames.memory(alike) + " ") + "by "
                        + perRound(alike.first()))
                .toList();
        return slopes.isEmpty()
                ? "a line of code allocates more and more, though the total does not grow"
                : "memory grows: " + slopes.get(0)
                        + (slopes.size() == 1 ? "" : ", and " + (slopes.size() - 1) + " more");
    }

    private static List<String> description(Alike<MemoryGrowth> alike) {
        MemoryGrowth growth = alike.first();
        return List.of(INDENT + DeviceNames.memory(alike) + "  " + growth.amounts() + "  "
                + trendInRounds(growth.amounts(), perRound(growth)));
    }

    /** The words for the units are the name then. */
    private static boolean isOfObjects(MemoryGrowth growth) {
        return growth.units().filter(SourceVocabulary::isOfObjects).isPresent();
    }

    private static String perRound(MemoryGrowth growth) {
        RoundVector retained = growth.amounts();
        return (retained.isSteady() ? "" : "about ") + growth.text(retained.perRound()) + " per round";
    }

    /**
     * Returns {@code buffers retained on devices 0-7}, {@code arenas retained}, or for objects {@code retained}, and the number in each round;
     * {@code bytes retained} and the bytes if only these have the trend.
     */
    private static String retained(SiteGrowth site) {
        SourceVocabulary words = site.words();
        boolean hasTrend = site.buffers().trend() == site.trend();
        String units = !hasTrend ? "bytes " : words.isOfObjects() ? "" : words.units() + " ";
        return units + "retained"
                + (words.hasDevices() ? " on " + DeviceNames.of(site.devices()) : "")
                + ": "
                + (hasTrend ? site.buffers() : site.bytes());
    }

    private List<String> description(SiteGrowth site) {
        List<String> lines = new ArrayList<>();
        lines.add(INDENT + site.name() + ", " + retained(site) + ", "
                + site.trend().description());
        site.origin().flatMap(Origin::site).ifPresent(frame -> lines.add(INDENT + INDENT + "at " + frame));
        List<CachedPrograms> cached = accumulation.cachedPrograms(site);
        cached.forEach(programs -> lines.add(INDENT + INDENT + programs));
        if (cached.isEmpty() && !site.owners().isEmpty()) {
            lines.add(
                    INDENT + INDENT + "owned by " + TruncatedText.list(OwnerNames.of(site.owners()), MAX_OWNERS, ", "));
        }
        return lines;
    }
}
