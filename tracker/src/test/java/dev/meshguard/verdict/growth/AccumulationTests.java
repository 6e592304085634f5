package dev.meshguard.verdict.growth;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AccumulationTests {

    private static final long KIB = 1_024;

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void aBufferOfEveryRoundIsALeak() {
        tracker.rounds(4, round -> tracker.allocated(3, DRAM, round * KIB, 64));

        Accumulation accumulation = accumulation();

        assertThat(accumulation.trend()).isEqualTo(Trend.GROWING);
        assertThat(accumulation.sites()).singleElement().satisfies(site -> {
            assertThat(site.buffers()).isEqualTo(RoundVector.of(1, 1, 1, 1));
            assertThat(site.bytes()).isEqualTo(RoundVector.of(64, 64, 64, 64));
            assertThat(site.devices()).containsExactly(3);
            assertThat(site.bytes().trend()).isEqualTo(Trend.GROWING);
            assertThat(site.site().callSite().orElseThrow())
                    .startsWith("dev.meshguard.verdict.growth.AccumulationTests.");
        });
        assertThat(accumulation.memory()).singleElement().satisfies(growth -> {
            assertThat(growth.memory()).isEqualTo(new DeviceMemory(3, DRAM));
            assertThat(growth.bytes().perRound()).isEqualTo(64);
            assertThat(growth.bytes().isSteady()).isTrue();
        });
    }

    @Test
    void whatTheFirstRoundLeavesIsACache() {
        tracker.rounds(4, round -> {
            if (round == 1) {
                IntStream.range(0, 5).forEach(buffer -> tracker.allocated(0, DRAM, buffer * KIB, 64));
            }
        });

        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
        assertThat(accumulation().sites()).extracting(SiteGrowth::buffers).containsExactly(RoundVector.of(5, 0, 0, 0));
        assertThat(accumulation().memory())
                .extracting(growth -> growth.bytes().perRound())
                .containsExactly(0L);
    }

    @Test
    void whatIsReplacedInEveryRoundDoesNotGrow() {
        tracker.rounds(4, round -> {
            if (round > 1) {
                tracker.freed(0, DRAM, (round - 1) * KIB);
            }
            tracker.allocated(0, DRAM, round * KIB, 64);
        });

        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
        assertThat(accumulation().sites()).extracting(SiteGrowth::buffers).containsExactly(RoundVector.of(1, 0, 0, 0));
    }

    @Test
    void aLineThatAsksForMoreEachTimeIsOneSiteThatGrows() {
        tracker.rounds(4, round -> {
            if (round > 1) {
                tracker.freed(0, DRAM, KIB);
            }
            tracker.allocated(0, DRAM, KIB, round * 64L);
        });

        assertThat(accumulation().sites()).singleElement().satisfies(site -> {
            assertThat(site.buffers()).isEqualTo(RoundVector.of(1, 0, 0, 0));
            assertThat(site.bytes()).isEqualTo(RoundVector.of(64, 64, 64, 64));
            assertThat(site.bytes().trend()).isEqualTo(Trend.GROWING);
        });
    }

    @Test
    void aSiteThatGrowsIsNotHiddenByAnotherThatShrinks() {
        IntStream.rangeClosed(1, 4).forEach(buffer -> tracker.allocated(0, DRAM, buffer * KIB, 64));
        tracker.rounds(4, round -> {
            tracker.freed(0, DRAM, round * KIB);
            tracker.allocated(0, DRAM, (round + 10) * KIB, 64);
        });

        assertThat(accumulation().memory()).isEmpty();
        assertThat(accumulation().trend()).isEqualTo(Trend.GROWING);
        assertThat(accumulation().sites())
                .extracting(site -> site.bytes().trend())
                .containsExactly(Trend.GROWING, Trend.SETTLED);
    }

    @Test
    void devicesThatDoTheSameAreOneFinding() {
        HistoryScript script = HistoryScript.on(tracker);
        tracker.rounds(
                3,
                round -> script.allocate(DRAM, devices(0, 3), round * KIB, 64)
                        .allocate(L1, device(0), round * KIB, 32)
                        .recorded());

        assertThat(accumulation().sites())
                .extracting(SiteGrowth::devices)
                .containsExactly(List.of(0, 1, 2, 3), List.of(0));
        assertThat(accumulation().memory())
                .extracting(MemoryGrowth::memory)
                .containsExactly(
                        new DeviceMemory(0, DRAM),
                        new DeviceMemory(1, DRAM),
                        new DeviceMemory(2, DRAM),
                        new DeviceMemory(3, DRAM),
                        new DeviceMemory(0, L1));
    }

    @Test
    void whatWasThereBeforeAndWhatComesAfterIsNoRounds() {
        tracker.allocated(0, DRAM, KIB, 64);
        tracker.rounds(3, round -> {});
        tracker.allocated(0, DRAM, 2 * KIB, 64);

        assertThat(accumulation().sites()).isEmpty();
        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
    }

    @Test
    void whatIsTakenBetweenTwoRoundsCountsForTheLater() {
        tracker.rounds(3, round -> {});
        tracker.allocated(0, DRAM, KIB, 64);
        tracker.round(4).close();

        assertThat(accumulation().sites()).extracting(SiteGrowth::buffers).containsExactly(RoundVector.of(0, 0, 0, 1));
    }

    @Test
    void memoryFreedAfterTheLastRoundHasGrown() {
        tracker.rounds(3, round -> tracker.allocated(0, DRAM, round * KIB, 64));
        IntStream.rangeClosed(1, 3).forEach(buffer -> tracker.freed(0, DRAM, buffer * KIB));

        assertThat(accumulation().trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void memoryFreedWithoutAReportGrowsInTheLedgerOnly() {
        HistoryScript script = HistoryScript.on(tracker);
        tracker.rounds(
                3,
                round -> script.mesh(0, 0)
                        .allocate(DRAM, device(0), KIB, 64)
                        .owning()
                        .witness(Moment.CLOSE_BEGUN, DRAM, device(0))
                        .closed());

        assertThat(accumulation().memory()).isEmpty();
        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
        assertThat(tracker.history().ledger(CountingPolicy.EVERY_REPORT).bytes(0, DRAM))
                .isEqualTo(3 * 64);
        assertThat(tracker.history().ledger(CountingPolicy.REFERENCE_COUNTED).bytes(0, DRAM))
                .isEqualTo(64);
    }

    @Test
    void circularBuffersOfProgramsThatEndedGrowInTheLedgerOnly() {
        HistoryScript script = HistoryScript.on(tracker);
        tracker.rounds(
                3,
                round -> script.mesh(0, 0)
                        .allocate(L1, device(0), round * KIB, 64)
                        .circularBufferOf(program(round))
                        .endOf(program(round))
                        .closed());

        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
        assertThat(tracker.history().ledger(CountingPolicy.REFERENCE_COUNTED).bytes(0, L1))
                .isEqualTo(3 * 64);
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
    void aHistoryWithoutRoundsDecidesNothing() {
        tracker.allocated(0, DRAM, KIB, 64);

        assertThat(accumulation().trend()).isEqualTo(Trend.UNDECIDED);
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

    @Test
    void theSlopeOfUnevenRoundsIsTheirAverage() {
        tracker.rounds(5, round -> {
            if (round != 3) {
                tracker.allocated(0, DRAM, round * KIB, 100);
            }
        });

        assertThat(accumulation().memory().get(0).bytes().isSteady()).isFalse();
        assertThat(accumulation().memory().get(0).bytes().perRound()).isEqualTo(75);
    }

    // Meshes as rounds

    @Test
    void eachMeshIsARoundWhereNobodyMarkedAny() {
        HistoryScript script = HistoryScript.on(tracker);
        for (int mesh = 0; mesh < 3; mesh++) {
            script.mesh(mesh, 0).allocate(DRAM, device(0), mesh * KIB, 64).closed();
        }

        Accumulation accumulation = Accumulation.of(LeakCheck.create().examine(tracker.history()), Rounds.MESHES);

        assertThat(accumulation.rounds()).isEqualTo(3);
        assertThat(accumulation.trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void whatIsFreedAfterACloseCountsForTheRoundThatClosed() {
        HistoryScript script = HistoryScript.on(tracker);
        for (int mesh = 0; mesh < 3; mesh++) {
            script.mesh(mesh, 0).allocate(DRAM, device(0), KIB, 64).close().free(DRAM, device(0), KIB);
        }
        script.recorded();

        Accumulation accumulation = Accumulation.of(LeakCheck.create().examine(tracker.history()), Rounds.MESHES);

        assertThat(accumulation.sites()).isEmpty();
        assertThat(accumulation.trend()).isEqualTo(Trend.SETTLED);
    }

    @Test
    void meshesThatAreOpenAtATimeAreNoRounds() {
        AllocationHistory history =
                HistoryScript.on(tracker).mesh(0, 0).mesh(1, 1).closed();

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
                .extracting(growth -> growth.bytes().perRound())
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

    @Test
    void ofTwoSitesThatGrowTheOneThatTakesMoreComesFirst() {
        HistoryScript script = HistoryScript.on(tracker);
        tracker.rounds(
                3,
                round -> script.allocate(DRAM, device(0), round * KIB, 64)
                        .labelled("small")
                        .allocate(DRAM, device(0), (round + 10) * KIB, 128)
                        .labelled("large")
                        .recorded());

        assertThat(accumulation().sites())
                .extracting(site -> site.site().label().orElseThrow())
                .containsExactly("large", "small");
    }

    @Test
    void namesTheDevicesOfASiteInOrder() {
        HistoryScript script = HistoryScript.on(tracker);
        tracker.rounds(
                3,
                round ->
                        script.allocate(DRAM, new int[] {3, 1}, round * KIB, 64).recorded());

        assertThat(accumulation().sites()).extracting(SiteGrowth::devices).containsExactly(List.of(1, 3));
    }

    @Test
    void aSiteThatLeavesEmptyBuffersIsShown() {
        tracker.rounds(3, round -> tracker.allocated(0, DRAM, round * KIB, 0));

        assertThat(accumulation().sites()).singleElement().satisfies(site -> {
            assertThat(site.buffers()).isEqualTo(RoundVector.of(1, 1, 1));
            assertThat(site.bytes()).isEqualTo(RoundVector.of(0, 0, 0));
            assertThat(site.trend()).isEqualTo(Trend.SETTLED);
        });
    }

    // Memory of unknown size

    @Test
    void memoryOfUnknownSizeGrowsWithItsNumber() {
        tracker.rounds(4, round -> lease("handle", 0));

        assertThat(accumulation().trend()).isEqualTo(Trend.GROWING);
        assertThat(accumulation().memory()).isEmpty();
        assertThat(accumulation().sites()).extracting(SiteGrowth::trend).containsExactly(Trend.GROWING);
        assertThat(accumulation().units())
                .containsExactly(new UnitGrowth(SourceVocabulary.MESH, RoundVector.of(1, 1, 1, 1)));
    }

    @Test
    void memoryOfUnknownSizeGrowsAlsoWhereNoSiteDoes() {
        tracker.rounds(4, round -> lease("handle " + round, 0));

        assertThat(accumulation().trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void aSiteOfUnknownSizeThatGrowsIsNotHiddenByAnotherThatShrinks() {
        List<Lease> before =
                IntStream.rangeClosed(1, 4).mapToObj(n -> lease("before", 0)).toList();
        tracker.rounds(4, round -> {
            before.get(round - 1).freed();
            lease("handle", 0);
        });

        assertThat(accumulation().units()).isEmpty();
        assertThat(accumulation().trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void oneMoreOfUnknownSizeMayBeTheFirstOfMany() {
        tracker.rounds(3, round -> {
            if (round != 2) {
                lease("handle", 0);
            }
        });

        assertThat(accumulation().trend()).isEqualTo(Trend.UNDECIDED);
    }

    @Test
    void whatLosesItsBytesInSomeRoundIsNoGrowth() {
        List<Lease> pool =
                IntStream.rangeClosed(1, 4).mapToObj(n -> lease("pool", 64)).toList();
        tracker.rounds(4, round -> pool.get(round - 1).resized(0));

        assertThat(accumulation().trend()).isEqualTo(Trend.SETTLED);
    }

    @Test
    void bytesInMoreUnitsThanBeforeAreNoGrowthBesideOneOfUnknownSize() {
        List<Lease> parts = new ArrayList<>();
        tracker.rounds(4, round -> {
            if (round == 1) {
                lease("unknown", 0);
            } else {
                parts.remove(0).freed();
            }
            long size = 64L << (4 - round);
            parts.add(lease("part", size));
            parts.add(lease("part", size));
        });

        assertThat(accumulation().units())
                .extracting(growth -> growth.units().trend())
                .containsExactly(Trend.SETTLED);
    }

    @Test
    void memoryOfKnownSizeIsNotCountedInUnits() {
        tracker.rounds(4, round -> {
            lease("handle", 64);
            tracker.allocated(0, DRAM, round * KIB, 0);
        });

        assertThat(accumulation().units()).isEmpty();
    }

    private Lease lease(String label, long size) {
        return tracker.lease(
                AllocationDetails.user().labelled(label), OriginFilter.none(), BufferType.SYSTEM_MEMORY, size);
    }

    @Test
    void aSiteThatReplacesItsBufferByALargerOneGrowsWithoutMoreBuffers() {
        for (int round = 1; round <= 4; round++) {
            tracker.freed(0, DRAM, KIB);
            tracker.allocated(0, DRAM, KIB, round * 64L);
            tracker.round(round).close();
        }

        assertThat(accumulation().sites()).singleElement().satisfies(site -> {
            assertThat(site.buffers()).isEqualTo(RoundVector.of(0, 0, 0, 0));
            assertThat(site.bytes()).isEqualTo(RoundVector.of(0, 64, 64, 64));
            assertThat(site.bytes().trend()).isEqualTo(Trend.GROWING);
        });
    }
}
