package dev.meshguard.verdict.growth;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccumulationTests {

    private static final long KIB = 1_024;

    private final AllocationTracker tracker = AllocationTracker.create();

    /**
     * Each row has the sentences before the rounds, those of each round ({@code #} is its number), and those after. The other columns
     * are the trend, the sites, the growth of each memory in a round, and that of memory of unknown size.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            a buffer of every round is a leak | - | 4 x allocate DRAM 0x#000 on 3 | - \
                | GROWING; [1, 1, 1, 1] [64, 64, 64, 64] on [3] GROWING; DRAM of device 3 by 64
            what the first round leaves is a cache | - | allocate DRAM 0x1000..0x5000 on 0 / / / | - \
                | SETTLED; [5, 0, 0, 0] [320, 0, 0, 0] on [0] SETTLED; DRAM of device 0 by 0
            what is replaced in every round does not grow | - | 4 x free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0 | - \
                | SETTLED; [1, 0, 0, 0] [64, 0, 0, 0] on [0] SETTLED; DRAM of device 0 by 0
            a line that asks for more each time is one site that grows | - \
                | 4 x free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0, size #00 | - \
                | GROWING; [1, 0, 0, 0] [100, 100, 100, 100] on [0] GROWING; DRAM of device 0 by 100
            a site that grows is not hidden by another that shrinks | allocate DRAM 0x1000..0x4000 on 0, label old \
                | 4 x free DRAM 0x#000 on 0; allocate DRAM 0x#0000 on 0, label new | - \
                | GROWING; new [1, 1, 1, 1] [64, 64, 64, 64] on [0] GROWING; \
                    old [-1, -1, -1, -1] [-64, -64, -64, -64] on [0] SETTLED
            devices that do the same are one finding | - | 3 x allocate DRAM 0x#000 on 0..3; allocate L1 0x#000 on 0, size 32 \
                | - \
                | GROWING; [1, 1, 1] [64, 64, 64] on [0, 1, 2, 3] GROWING; [1, 1, 1] [32, 32, 32] on [0] GROWING; \
                    DRAM of device 0 by 64; DRAM of device 1 by 64; DRAM of device 2 by 64; DRAM of device 3 by 64; \
                    L1 of device 0 by 32
            what was there before and what comes after is no rounds | allocate DRAM 0x1000 on 0 | / / \
                | allocate DRAM 0x2000 on 0 | SETTLED
            memory freed after the last round has grown | - | 3 x allocate DRAM 0x#000 on 0 \
                | free DRAM 0x1000 on 0; free DRAM 0x2000 on 0; free DRAM 0x3000 on 0 \
                | GROWING; [1, 1, 1] [64, 64, 64] on [0] GROWING; DRAM of device 0 by 64
            memory freed without a report does not grow | - \
                | 3 x mesh 0 over 0; allocate DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close | - | SETTLED
            circular buffers of programs that ended do not grow | - \
                | 3 x mesh 0 over 0; allocate L1 0x#000 on 0, circular buffer of program #; end program #; close | - | SETTLED
            the slope of uneven rounds is their average | - \
                | allocate DRAM 0x1000 on 0, size 100 / allocate DRAM 0x2000 on 0, size 100 / \
                    / allocate DRAM 0x3000 on 0, size 100 / allocate DRAM 0x4000 on 0, size 100 | - \
                | GROWING; [1, 1, 0, 1, 1] [100, 100, 0, 100, 100] on [0] GROWING; DRAM of device 0 by 75 unsteadily
            of two sites that grow the one that takes more comes first | - \
                | 3 x allocate DRAM 0x#000 on 0, label small; allocate DRAM 0x#0000 on 0, size 128, label large | - \
                | GROWING; large [1, 1, 1] [128, 128, 128] on [0] GROWING; small [1, 1, 1] [64, 64, 64] on [0] GROWING; \
                    DRAM of device 0 by 192
            names the devices of a site in order | - | 3 x allocate DRAM 0x#000 on 3+1 | - \
                | GROWING; [1, 1, 1] [64, 64, 64] on [1, 3] GROWING; DRAM of device 1 by 64; DRAM of device 3 by 64
            a site that leaves empty buffers is shown | - | 3 x allocate DRAM 0x#000 on 0, size 0 | - \
                | SETTLED; [1, 1, 1] [0, 0, 0] on [0] SETTLED
            memory of unknown size grows with its number | - | 4 x allocate SYSTEM_MEMORY # on none, size 0 | - \
                | GROWING; [1, 1, 1, 1] [0, 0, 0, 0] GROWING; [1, 1, 1, 1] buffers
            memory of unknown size grows also where no site does | - \
                | 4 x allocate SYSTEM_MEMORY # on none, size 0, label handle # | - \
                | GROWING; handle 4 [0, 0, 0, 1] [0, 0, 0, 0] UNDECIDED; handle 2 [0, 1, 0, 0] [0, 0, 0, 0] SETTLING; \
                    handle 3 [0, 0, 1, 0] [0, 0, 0, 0] SETTLING; handle 1 [1, 0, 0, 0] [0, 0, 0, 0] SETTLED; \
                    [1, 1, 1, 1] buffers
            a site of unknown size that grows is not hidden by another that shrinks \
                | allocate SYSTEM_MEMORY 0x1000..0x4000 on none, size 0, label old \
                | 4 x free SYSTEM_MEMORY 0x#000 on none; allocate SYSTEM_MEMORY # on none, size 0, label new | - \
                | GROWING; new [1, 1, 1, 1] [0, 0, 0, 0] GROWING; old [-1, -1, -1, -1] [0, 0, 0, 0] SETTLED
            one more of unknown size may be the first of many | - \
                | allocate SYSTEM_MEMORY 1 on none, size 0 / / allocate SYSTEM_MEMORY 2 on none, size 0 | - \
                | UNDECIDED; [1, 0, 1] [0, 0, 0] UNDECIDED; [1, 0, 1] buffers
            bytes in more units than before are no growth beside one of unknown size | - \
                | allocate SYSTEM_MEMORY 1 on none, size 0, label unknown; allocate SYSTEM_MEMORY 2 on none, size 256; \
                    allocate SYSTEM_MEMORY 3 on none, size 256 / free SYSTEM_MEMORY 2 on none; \
                    allocate SYSTEM_MEMORY 4 on none, size 128; \
                    allocate SYSTEM_MEMORY 5 on none, size 128 / free SYSTEM_MEMORY 3 on none; \
                    allocate SYSTEM_MEMORY 6 on none; allocate SYSTEM_MEMORY 7 on none | - \
                | SETTLED; [2, 1, 1] [512, 0, -128] SETTLED; unknown [1, 0, 0] [0, 0, 0] SETTLED; \
                    SYSTEM_MEMORY of no device by 0 unsteadily; [1, 0, 0] buffers
            memory of known size is not counted in units | - \
                | 4 x allocate SYSTEM_MEMORY # on none; allocate DRAM 0x#000 on 0, size 0 | - \
                | GROWING; [1, 1, 1, 1] [64, 64, 64, 64] GROWING; [1, 1, 1, 1] [0, 0, 0, 0] on [0] SETTLED; \
                    SYSTEM_MEMORY of no device by 64
            """)
    void hasATrend(String name, @Nullable String before, String rounds, @Nullable String after, String expected) {
        HistoryScript script = HistoryScript.on(tracker);
        report(script, before);
        String[] times = rounds.split(" x ", 2);
        if (times.length == 2) {
            tracker.rounds(Integer.parseInt(times[0]), round -> report(script, times[1].replace("#", "" + round)));
        } else {
            String[] each = rounds.split("/", -1);
            tracker.rounds(each.length, round -> report(script, each[round - 1]));
        }
        report(script, after);

        assertThat(described(accumulation())).isEqualToNormalizingWhitespace(expected);
    }

    private static void report(HistoryScript script, @Nullable String sentences) {
        script.report(sentences == null ? "" : sentences).recorded();
    }

    private static String described(Accumulation accumulation) {
        List<String> parts = new ArrayList<>(List.of(accumulation.trend().toString()));
        accumulation
                .sites()
                .forEach(site -> parts.add(
                        site.site().label().map(label -> label + " ").orElse("") + site.buffers() + " " + site.bytes()
                                + (site.devices().contains(NO_DEVICE) ? " " : " on " + site.devices() + " ")
                                + site.trend()));
        accumulation
                .memory()
                .forEach(growth -> parts.add(growth.units()
                        .map(words -> growth.amounts() + " " + words.units())
                        .orElseGet(() ->
                                growth.memory() + " by " + growth.amounts().perRound()
                                        + (growth.amounts().isSteady() ? "" : " unsteadily"))));
        return String.join("; ", parts);
    }

    @Test
    void aSiteThatReplacesItsBufferByALargerOneGrowsWithoutMoreBuffers() {
        for (int round = 1; round <= 4; round++) {
            tracker.freed(0, DRAM, KIB);
            tracker.allocated(0, DRAM, KIB, round * 64L);
            tracker.round(round).close();
        }

        assertThat(described(accumulation()))
                .isEqualTo("GROWING; [0, 0, 0, 0] [0, 64, 64, 64] on [0] GROWING; DRAM of device 0 by 64");
    }

    @Test
    void whatIsTakenBetweenTwoRoundsCountsForTheLater() {
        tracker.rounds(3, round -> {});
        tracker.allocated(0, DRAM, KIB, 64);
        tracker.round(4).close();

        assertThat(accumulation().sites()).extracting(SiteGrowth::buffers).containsExactly(RoundVector.of(0, 0, 0, 1));
    }

    @Test
    void tooFewRoundsDecideNothingAndSayHowManyDo() {
        tracker.rounds(2, round -> {});

        assertThat(accumulation().trend()).isEqualTo(Trend.UNDECIDED);
        assertThat(accumulation().inconclusiveReasons())
                .containsExactly("2 of at least 3 rounds ended, of which 1 is for warming up."
                        + " Mark each with tracker.round(n).");
        assertThat(accumulation().withWarmUp(0).trend()).isEqualTo(Trend.SETTLED);
        assertThat(accumulation().withWarmUp(2).inconclusiveReasons())
                .containsExactly("2 of at least 4 rounds ended, of which 2 are for warming up."
                        + " Mark each with tracker.round(n).");
    }

    @Test
    void roundsThatOverlapDecideNothing() {
        Scope first = tracker.round(1);
        Scope second = tracker.round(2);
        first.close();
        second.close();
        tracker.rounds(3, round -> {});

        assertThat(accumulation().trend()).isEqualTo(Trend.UNDECIDED);
        assertThat(accumulation().inconclusiveReasons())
                .containsExactly(
                        expected(
                                tracker.history(),
                                "Round 2 began ({round began 2}) before round 1 had ended ({round began 1} began it), so the memory that each retained cannot be kept apart. Run the rounds one after another."));
    }

    @Test
    void lostReportsDecideNothingHoweverMuchSeemsToGrow() {
        tracker.rounds(3, round -> tracker.allocated(0, DRAM, round * KIB, 64));
        tracker.reportsLost(1, "the connection was reset");

        assertThat(accumulation().trend()).isEqualTo(Trend.UNDECIDED);
        assertThat(accumulation().inconclusiveReasons())
                .containsExactly(expected(
                        tracker.history(), "Reports are missing (first at {reports lost}: the connection was reset)."));
    }

    @Test
    void aRoundThatIsNotOverDoesNotCount() {
        tracker.rounds(3, round -> {});
        tracker.round(4);

        assertThat(accumulation().rounds()).isEqualTo(3);
    }

    @Test
    void rejectsANegativeWarmUp() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> accumulation().withWarmUp(-1))
                .withMessage("The warm-up takes 0 rounds or more: -1 was given");
    }

    // Meshes as rounds

    @Test
    void eachMeshIsARoundWhereNobodyMarkedAny() {
        HistoryScript script = HistoryScript.on(tracker);
        for (int mesh = 0; mesh < 3; mesh++) {
            script.report("mesh %1$d over 0; allocate DRAM 0x%1$d000 on 0; close".formatted(mesh));
        }

        Accumulation accumulation = Accumulation.of(LeakCheck.create().examine(tracker.history()), Rounds.MESHES);

        assertThat(accumulation.rounds()).isEqualTo(3);
        assertThat(accumulation.trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void whatIsFreedAfterACloseCountsForTheRoundThatClosed() {
        HistoryScript script = HistoryScript.on(tracker);
        for (int mesh = 0; mesh < 3; mesh++) {
            script.report("mesh " + mesh + " over 0; allocate DRAM 0x1000 on 0; close; free DRAM 0x1000 on 0");
        }

        Accumulation accumulation = Accumulation.of(LeakCheck.create().examine(tracker.history()), Rounds.MESHES);

        assertThat(accumulation.sites()).isEmpty();
        assertThat(accumulation.trend()).isEqualTo(Trend.SETTLED);
    }

    @Test
    void meshesThatAreOpenAtATimeAreNoRounds() {
        AllocationHistory history = HistoryScript.on(tracker)
                .report("mesh 0 over 0; mesh 1 over 1; close")
                .recorded();

        assertThat(Accumulation.of(LeakCheck.create().examine(history), Rounds.MESHES)
                        .inconclusiveReasons())
                .contains(expected(
                        history,
                        "Mesh 1 was opened ({mesh opened 2}) before mesh 0 was closed ({mesh opened 1} opened it), so meshes"
                                + " are no rounds here. Mark the rounds: tracker.round(n)."));
    }

    // Size

    /** An implementation that reads all events for each round would not finish with so many. */
    @Test
    void addsUpFiftyThousandRounds() {
        AllocationTracker many =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        many.rounds(50_000, round -> {
            many.allocated(0, DRAM, round * KIB, 64);
            many.allocated(1, DRAM, KIB, 64);
            many.freed(1, DRAM, KIB);
        });
        AllocationHistory history = many.history();

        Accumulation accumulation = Accumulation.of(history);

        assertThat(accumulation.rounds()).isEqualTo(50_000);
        assertThat(accumulation.memory())
                .extracting(growth -> growth.amounts().perRound())
                .containsExactly(64L);
    }

    private Accumulation accumulation() {
        return Accumulation.of(tracker.history());
    }

    // Texts

    @Test
    void saysItsTrendItsRoundsAndItsWarmUp() {
        tracker.rounds(1, round -> {});
        assertThat(accumulation()).hasToString("UNDECIDED after 1 round");

        tracker.rounds(2, round -> {});
        assertThat(accumulation()).hasToString("SETTLED after 3 rounds");
        assertThat(accumulation().warmUp()).isEqualTo(1);
        assertThat(accumulation().withWarmUp(2).warmUp()).isEqualTo(2);
    }

    // Memory of unknown size

    @Test
    void whatLosesItsBytesInSomeRoundIsNoGrowth() {
        List<Lease> pool =
                IntStream.rangeClosed(1, 4).mapToObj(n -> lease("pool", 64)).toList();
        tracker.rounds(4, round -> pool.get(round - 1).resized(0));

        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
    }

    private Lease lease(String label, long size) {
        return tracker.lease(
                AllocationDetails.user().labelled(label), OriginFilter.none(), BufferType.SYSTEM_MEMORY, size);
    }
}
