package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.AccumulationAssert;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Seed 002: 36 KB of DRAM and 12 KB of L1 after round 1, 72 and 24 after round 2, 108 and 36 after round 3.
 *
 * <p>The seed calls it a leak. It is a drift of a ledger that counts every report. Each round opens the mesh again, and the
 * same addresses are reported again. The buffers of the program cache are freed after the device was closed, without a report.
 */
class GrowthOverRoundsTests {

    private static final int DEVICES = 8;

    private final AllocationTracker tracker = AllocationTracker.create();
    private final List<AllocationHistory> afterRound = new ArrayList<>();

    @BeforeEach
    void runThreeRoundsWithoutClearingTheCache() {
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED)
                .build();
        tracker.rounds(3, round -> {
            MeshAllocation test = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4))).compute();
            test.freeTensors();
            test.close();
            test.dropMesh();
            afterRound.add(tracker.history());
        });
    }

    @Test
    void anEveryReportCounterDriftsByThirtySixKiBOnEveryDeviceAndTwelveOnDevice0() {
        for (int round = 1; round <= 3; round++) {
            PolicyLedger ledger = afterRound.get(round - 1).ledger(EVERY_REPORT);
            for (int device = 0; device < DEVICES; device++) {
                assertThat(ledger.bytes(device, DRAM)).isEqualTo(round * 36_864L);
                assertThat(ledger.bytes(device, L1)).isEqualTo(device == 0 ? round * 12_288L : 0);
            }
        }
    }

    @Test
    void aReferenceCounterStaysWhereItWas() {
        for (AllocationHistory history : afterRound) {
            PolicyLedger ledger = history.ledger(REFERENCE_COUNTED);
            assertThat(IntStream.range(0, DEVICES).boxed())
                    .allSatisfy(device -> assertThat(ledger.bytes(device, DRAM)).isEqualTo(36_864));
            assertThat(ledger.bytes(L1)).isZero();
            assertThat(ledger.entries()).isEqualTo(16);
        }
    }

    @Test
    void theWitnessIsAtZeroAfterEveryRound() {
        List<HistoryEvent.Witnessed> afterWipe = tracker.history().witnessSnapshots().stream()
                .filter(event -> event.snapshot().moment() == Moment.AFTER_WIPE)
                .toList();

        assertThat(afterWipe).hasSize(3).allSatisfy(event -> {
            for (int device = 0; device < DEVICES; device++) {
                for (BufferType type : BufferType.values()) {
                    assertThat(event.snapshot().allocatedAddresses(device, type))
                            .isEmpty();
                }
            }
        });
    }

    @Test
    void everyRoundHasTheSameAddressesAndNewGenerations() {
        List<Integer> livesOfTheAddBinary = tracker.history().generations().stream()
                .filter(buffer -> buffer.device() == 0 && buffer.address() == 0x3fff_f800L)
                .map(buffer -> buffer.generation())
                .toList();

        assertThat(livesOfTheAddBinary).containsExactly(1, 2, 3);
    }

    @Test
    void memoryGrowsByNothing() {
        AccumulationAssert accumulation =
                LeakAssertions.assertThat(tracker).accumulation().doesNotGrow().hasSettled();

        for (int device = 0; device < DEVICES; device++) {
            accumulation.memoryGrowsBy(DRAM, device, 0).memoryGrowsBy(L1, device, 0);
        }
    }

    @Test
    void theLivesOfTheMeshesAreTheSameRoundsWhereNobodyMarkedAny() {
        LeakAssertions.assertThat(tracker)
                .accumulation(Rounds.MESHES)
                .hasSettled()
                .memoryGrowsBy(DRAM, 7, 0)
                .memoryGrowsBy(L1, 0, 0);
    }

    @Test
    void readsAsMemoryThatDoesNotGrow() {
        String text = AccumulationReport.of(Accumulation.of(tracker.history())).text();

        assertThat(text).isEqualTo("""
                SETTLED  3 rounds, the first for warming up · memory grows by 0 B per round
                No round retained or freed memory.""");
    }
}
