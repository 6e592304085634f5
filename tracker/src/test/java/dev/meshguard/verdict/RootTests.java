package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Buffers that disappear with another one are consequences, and facts about siblings are reported beside the cause.
 */
class RootTests {

    private static List<SurvivorGroup> leaks(AllocationHistory history) {
        return judged(history).verdict().groups();
    }

    @Test
    void eightDeviceBuffersOfOneMeshBufferAreOneLeak() {
        var leaks = leaks(
                history().allocate(DRAM, devices(0, 7), 0x1000, 64).nonOwning().recorded());

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.buffers()).isEqualTo(8);
            assertThat(leak.totalBytes()).isEqualTo(512);
            assertThat(leak.consequences()).isEmpty();
        });
    }

    @Test
    void aProgramsBinaryAndCircularBuffersAreOneLeakOfTheProgram() {
        var leaks = leaks(historyOf("""
                allocate L1 0x1000 on 0..1, size 32, circular buffer of program 7;
                allocate DRAM 0x2000 on 0..1, of program 7; cached program 7
                """));

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.type()).isEqualTo(DRAM);
            assertThat(leak.consequences())
                    .singleElement()
                    .extracting(SurvivorGroup::type)
                    .isEqualTo(L1);
            assertThat(leak.buffers()).isEqualTo(4);
            assertThat(leak.totalBytes()).isEqualTo(192);
        });
    }

    @Test
    void aTraceAndWhatWasAllocatedForItAreOneLeakOfTheTrace() {
        Owner trace = new Owner(Owner.Kind.TRACE, "3");
        var leaks = leaks(history()
                .allocate(DRAM, devices(0, 1), 0x2000, 64)
                .ownedBy(trace)
                .allocate(TRACE, devices(0, 1), 0x9000, 1024)
                .ownedBy(trace)
                .cached(trace)
                .recorded());

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.type()).isEqualTo(TRACE);
            assertThat(leak.consequences()).hasSize(1);
        });
    }

    @Test
    void whatTwoProgramsLeftIsTwoLeaks() {
        var leaks = leaks(historyOf("""
                allocate DRAM 0x1000 on 0, of program 1; allocate DRAM 0x2000 on 0, of program 2; cached program 1;
                cached program 2
                """));

        assertThat(leaks)
                .hasSize(2)
                .allSatisfy(leak -> assertThat(leak.consequences()).isEmpty());
    }

    @Test
    void whatAWorkloadLeftThatWasNeverClosedIsOneLeak() {
        var leaks = leaks(circularBuffersOfTwoPrograms().recorded());

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.cause()).isEqualTo(Cause.UNEXPLAINED);
            assertThat(leak.consequences()).hasSize(1);
        });
    }

    @Test
    void whatTwoProgramsLeftThatEndedIsTwoLeaks() {
        var history = circularBuffersOfTwoPrograms().endOf(program(1)).endOf(program(2));

        assertThat(leaks(history.closed()))
                .hasSize(2)
                .allSatisfy(leak -> assertThat(leak.cause()).isEqualTo(Cause.CIRCULAR_BUFFER_UNREPORTED));
    }

    @Test
    void whatTwoProgramsLeftInACacheIsTwoLeaks() {
        var history = circularBuffersOfTwoPrograms().cached(program(1)).cached(program(2));

        assertThat(leaks(history.closed()))
                .hasSize(2)
                .allSatisfy(leak -> assertThat(leak.cause()).isEqualTo(Cause.CACHED));
    }

    /** They differ in size and have one origin. */
    private static HistoryScript circularBuffersOfTwoPrograms() {
        HistoryScript script = history().mesh(0, 0);
        for (int id = 1; id <= 2; id++) {
            script.allocate(L1, device(0), 0x1000L * id, 32L * id).circularBufferOf(program(id));
        }
        return script;
    }

    @Test
    void aCachedBufferWithAnotherOpenReportShowsTheCountOfItsAddress() {
        var leaks = leaks(historyOf("""
                allocate DRAM 0x1000 on 0, of program 1; cached program 1; allocate DRAM 0x1000 on 0
                """));

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.cause()).isEqualTo(Cause.CACHED);
            assertThat(leak.circumstances())
                    .extracting(Evidence::text)
                    .containsExactly("at 0x1000 (4096) on device 0: allocated 2 times, freed 0 times");
        });
    }

    @Test
    void whatCountsDifferentlyIsNoConsequence() {
        var leaks = leaks(historyOf("""
                mesh 0 over 0; allocate DRAM 0x2000 on 0, of program 7;
                allocate L1 0x1000 on 0, size 32, circular buffer of program 7; end program 7; close
                """));

        assertThat(leaks)
                .extracting(SurvivorGroup::status)
                .containsExactly(SurvivorStatus.LEAKED, SurvivorStatus.MISREPORTED);
    }

    @Test
    void aUsersBufferIsNoConsequenceOfAProgram() {
        var leaks = leaks(historyOf("""
                allocate DRAM 0x1000 on 0; allocate DRAM 0x2000 on 0, of program 7; cached program 7
                """));

        assertThat(leaks).hasSize(2);
    }

    @Nested
    class Siblings {

        private static List<String> circumstances(AllocationHistory history) {
            return leaks(history).get(0).circumstances().stream()
                    .map(Evidence::text)
                    .toList();
        }

        @Test
        void areNamedWithThePhaseInWhichTheyDied() {
            var script = history().phase(Phase.TEST);
            for (int i = 0; i < 3; i++) {
                script.allocate(DRAM, device(0), 0x1000L * (i + 1), 64);
            }
            var history = script.phase(Phase.TEARDOWN)
                    .free(DRAM, device(0), 0x1000)
                    .free(DRAM, device(0), 0x2000)
                    .recorded();

            assertThat(circumstances(history))
                    .containsExactly(expected(
                            history,
                            "2 of 3 buffers from this line were freed, in TEARDOWN; this one was first passed over at"
                                    + " {freed 1}"));
        }

        @Test
        void areNamedWithEachPhase() {
            var script = history();
            for (int i = 0; i < 4; i++) {
                script.allocate(DRAM, device(0), 0x1000L * (i + 1), 64);
            }
            var history = script.phase(Phase.TEST)
                    .free(DRAM, device(0), 0x1000)
                    .phase(Phase.TEARDOWN)
                    .free(DRAM, device(0), 0x2000)
                    .recorded();

            assertThat(circumstances(history))
                    .containsExactly(expected(
                            history,
                            "2 of 4 buffers from this line were freed, 1 in TEST, 1 in TEARDOWN; these were first"
                                    + " passed over at {freed 1}"));
        }

        @Test
        void thatWereFreedBeforeItsAllocationAreReportedAsEarlier() {
            var script = history();
            for (int i = 0; i < 2; i++) {
                script.allocate(DRAM, device(0), 0x1000L * (i + 1), 64);
                if (i == 0) {
                    script.free(DRAM, device(0), 0x1000);
                }
            }

            assertThat(circumstances(script.recorded()))
                    .containsExactly(
                            "1 of 2 buffers from this line were freed, in START, before this one was allocated");
        }

        @Test
        void areAlikeOnAllDevices() {
            var script = history();
            for (int round = 0; round < 2; round++) {
                script.allocateOneByOne(DRAM, devices(0, 3), 0x1000L * (round + 1), 64);
            }
            var history = script.free(DRAM, devices(0, 3), 0x1000).recorded();

            assertThat(circumstances(history))
                    .contains("all 4 devices are alike: each allocated 2 and freed 1")
                    .hasSize(2);
        }

        @Test
        void areNoneWithoutOrigins() {
            assertThat(circumstances(historyOf("""
                    without origins; allocate DRAM 0x1000 on 0; free DRAM 0x1000 on 0; allocate DRAM 0x1000 on 0
                    """))).isEmpty();
        }

        @Test
        void areCountedByAddressWhereTheCauseDoesNotSayIt() {
            var history = historyOf("""
                    allocate L1 0x1000 on 0, circular buffer of program 1;
                    allocate L1 0x1000 on 0, circular buffer of program 2; end program 1; end program 2
                    """);

            assertThat(circumstances(history))
                    .containsExactly("at 0x1000 (4096) on device 0: allocated 2 times, freed 0 times");
        }
    }

    @Test
    void whatBelongsToAnOwnerThatIsNeverKeptIsNoConsequence() {
        Owner queue = new Owner(Owner.Kind.COMMAND_QUEUE, "0");
        var leaks = leaks(history()
                .allocate(DRAM, device(0), 0x1000, 64)
                .ownedBy(queue)
                .allocate(L1, device(0), 0x2000, 64)
                .ownedBy(queue)
                .recorded());

        assertThat(leaks).hasSize(2);
    }

    @Test
    void distinguishesRequestsWithoutAnOrigin() {
        var leaks = leaks(historyOf("""
                without origins; allocate DRAM 0x1000 on 0, of program 1; allocate DRAM 0x2000 on 0, of program 2
                """));

        assertThat(leaks).hasSize(2);
    }

    @Test
    void distinguishesRequestsWithAnEmptyStack() {
        AllocationTracker tracker = AllocationTracker.create();
        for (int turn = 1; turn <= 2; turn++) {
            MemoryRequest request =
                    MemoryRequest.restored(AllocationDetails.user(), Optional.of(new Origin(List.of())));
            tracker.allocated(request, 0, DRAM, 0x1000L * turn, 64, Ownership.UNKNOWN);
        }
        tracker.freed(0, DRAM, 0x1000);
        tracker.allocated(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(new Origin(List.of()))),
                0,
                DRAM,
                0x3000,
                64,
                Ownership.UNKNOWN);

        assertThat(leaks(tracker.history()))
                .hasSize(2)
                .allSatisfy(leak -> assertThat(leak.circumstances()).isEmpty())
                .allSatisfy(leak -> assertThat(leak.origin()).isEmpty());
    }

    @Test
    void ofTwoThatWeighAlikeTheOlderIsTheRoot() {
        var leaks = leaks(historyOf("""
                allocate DRAM 0x1000 on 0, of program 7; allocate DRAM 0x2000 on 0, size 32, of program 7;
                cached program 7
                """));

        assertThat(leaks).singleElement().satisfies(leak -> {
            assertThat(leak.size()).isEqualTo(64);
            assertThat(leak.consequences())
                    .singleElement()
                    .extracting(SurvivorGroup::size)
                    .isEqualTo(32L);
        });
    }

    @Test
    void theOldestConsequenceIsFirstHoweverManyOtherLeaksLieBetween() {
        var script = history().allocate(DRAM, device(0), 0x1000, 64).ownedBy(program(7));
        for (int other = 1; other < 17; other++) {
            script.allocate(DRAM, device(0), 0x1000L * (1 + other), 64);
            if (other == 2) {
                script.ownedBy(program(7));
            }
        }
        script.allocate(DRAM, device(0), 0x20000, 32).ownedBy(program(7)).cached(program(7));

        assertThat(leaks(script.recorded()).get(0).consequences())
                .extracting(consequence -> consequence.first().buffer().address())
                .containsExactly(0x3000L, 0x20000L);
    }

    @Test
    void devicesThatKeptEverythingAreNotCalledAlike() {
        var leaks = leaks(history().allocate(DRAM, devices(0, 1), 0x1000, 64).recorded());

        assertThat(leaks.get(0).circumstances()).isEmpty();
    }

    @Test
    void devicesOfWhichOnlyTheReportsAreMissingAreNotCalledAlike() {
        var leaks = leaks(historyOf("""
                mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1; witness CLOSE_BEGUN DRAM on 0..1; close
                """));

        assertThat(leaks.get(0).circumstances()).isEmpty();
    }

    @Test
    void oneReportOfAnAddressIsNotCounted() {
        var leaks = leaks(historyOf("allocate L1 0x1000 on 0, circular buffer of program 1; end program 1"));

        assertThat(leaks.get(0).circumstances()).isEmpty();
    }

    @Test
    void threePhasesAreNamedAndOfMoreTheNumber() {
        assertThat(diedInPhases(3)).contains(" were freed, 1 in PHASE 0, 1 in PHASE 1, 1 in PHASE 2; ");
        assertThat(diedInPhases(5))
                .contains(" were freed, 1 in PHASE 0, 1 in PHASE 1, 1 in PHASE 2 and others in 2 more phases; ");
    }

    private static String diedInPhases(int phases) {
        var script = history();
        for (int i = 0; i <= phases; i++) {
            script.allocate(DRAM, device(0), 0x1000L * (i + 1), 64);
        }
        for (int i = 0; i < phases; i++) {
            script.phase(new Phase("PHASE " + i)).free(DRAM, device(0), 0x1000L * (i + 1));
        }
        return leaks(script.recorded()).get(0).circumstances().get(0).text();
    }

    @Test
    void aLeakShowsThePlaceAndTheEvidenceOfItsOldest() {
        var leak = leaks(history().allocate(DRAM, device(0), 0x1000, 64).recorded())
                .get(0);

        assertThat(leak.origin().orElseThrow().toString())
                .contains("RootTests.aLeakShowsThePlaceAndTheEvidenceOfItsOldest");
        assertThat(leak.evidence()).extracting(Evidence::text).containsExactly("no free was reported");
    }
}
