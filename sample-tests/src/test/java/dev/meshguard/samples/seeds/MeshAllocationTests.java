package dev.meshguard.samples.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.history.CountingPolicy.EVERY_REPORT;
import static dev.meshguard.history.CountingPolicy.ONCE_PER_ADDRESS;
import static dev.meshguard.history.CountingPolicy.OWNED_ONLY;
import static dev.meshguard.history.CountingPolicy.REFERENCE_COUNTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.CIRCULAR_BUFFERS_NEVER_REPORTED_FREE;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * {@code test_mesh_allocation.py} on a 2x4 Wormhole mesh of October 2025, with every figure of seeds 000, 002, 003 and 004.
 *
 * <p>The seeds explain the figures as leaks, as system buffers or as the role of device 0. The histories below show the real
 * explanation of each: a count of the reports under one counting policy.
 */
class MeshAllocationTests {

    private static final int ADD_BINARY = 12_288;
    private static final int MATMUL_BINARY = 24_576;
    private static final int BOTH_BINARIES = ADD_BINARY + MATMUL_BINARY;
    private static final List<Integer> ALL_DEVICES = List.of(0, 1, 2, 3, 4, 5, 6, 7);

    private final AllocationTracker tracker = AllocationTracker.create();

    private MeshAllocation open(RuntimeDefect... defects) {
        Ttnn ttnn = Ttnn.builder(tracker)
                .preset(RuntimePreset.OCTOBER_2025)
                .defects(defects)
                .build();
        MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
        return new MeshAllocation(ttnn, mesh);
    }

    /** Seed 000, step 3: "Before closing, dump all remaining buffers". */
    @Nested
    class BeforeTheClose {

        @Test
        void eachRemainingBufferIsListedWithItsOwner() {
            open().compute();

            assertThat(tracker.history().live())
                    .filteredOn(buffer -> buffer.type() == L1 && buffer.device() == 0)
                    .allSatisfy(buffer -> assertThat(buffer.owner()).isPresent())
                    .extracting(BufferGeneration::address)
                    .containsExactly(101_152L, 105_248L, 109_344L);
        }
    }

    @Nested
    class Addresses {

        private AllocationHistory history;

        @BeforeEach
        void compute() {
            open().compute();
            history = tracker.history();
        }

        @Test
        void areThoseOfTheLogsForTensorsAndBinaries() {
            assertThat(buffers(0, DRAM))
                    .extracting(BufferGeneration::size, BufferGeneration::address)
                    .containsExactly(
                            tuple(4_194_304L, 2_560_032L),
                            tuple(4_194_304L, 2_910_240L),
                            tuple(4_194_304L, 3_260_448L),
                            tuple(12_288L, 0x3fff_f800L),
                            tuple(524_288L, 3_610_656L),
                            tuple(524_288L, 3_655_712L),
                            tuple(1_048_576L, 3_700_768L),
                            tuple(24_576L, 0x3fff_f000L));
        }

        @Test
        void areTheSameOnAllDevices() {
            for (int device : ALL_DEVICES) {
                assertThat(buffers(device, DRAM))
                        .extracting(BufferGeneration::address)
                        .isEqualTo(buffers(0, DRAM).stream()
                                .map(BufferGeneration::address)
                                .toList());
            }
        }

        @Test
        void ofCircularBuffersAreUsedByBothPrograms() {
            assertThat(buffers(0, L1))
                    .extracting(BufferGeneration::address, BufferGeneration::size, BufferGeneration::openReports)
                    .containsExactly(tuple(101_152L, 4096L, 2), tuple(105_248L, 4096L, 2), tuple(109_344L, 4096L, 2));
            assertThat(buffers(0, L1).get(2).reports())
                    .extracting(BufferGeneration.Report::size)
                    .containsExactly(4096L, 2048L);
        }

        @Test
        void ofCircularBuffersShowOnDevice0Only() {
            assertThat(ALL_DEVICES.subList(1, 8))
                    .allSatisfy(device -> assertThat(buffers(device, L1)).isEmpty());
        }

        @Test
        void addUpToTheQuotedSumOnEveryDevice() {
            PolicyLedger ledger = history.ledger(REFERENCE_COUNTED);

            assertThat(ALL_DEVICES)
                    .allSatisfy(device -> assertThat(ledger.bytes(device, DRAM)).isEqualTo(14_716_928));
        }

        private List<BufferGeneration> buffers(int device, BufferType type) {
            return history.generations().stream()
                    .filter(buffer -> buffer.device() == device && buffer.type() == type)
                    .toList();
        }
    }

    /** The first row of the table: the mesh reports every device's free, circular buffers report none. */
    @Nested
    class WithMeshFreesReported {

        private MeshAllocation test;

        @BeforeEach
        void compute() {
            test = open(CIRCULAR_BUFFERS_NEVER_REPORTED_FREE).compute();
            test.freeTensors();
        }

        @Test
        void theCachedBinariesAreLeftAfterTheTensorFrees() {
            PolicyLedger ledger = tracker.history().ledger(REFERENCE_COUNTED);

            assertThat(ALL_DEVICES)
                    .allSatisfy(device -> assertThat(ledger.bytes(device, DRAM))
                            .isEqualTo(36_864)
                            .isEqualTo(BOTH_BINARIES));
            assertThat(ledger.entries()).isEqualTo(19);
        }

        @Test
        void threeL1BuffersAreLeftAfterTheCacheClear() {
            test.clearCache();
            test.close();

            PolicyLedger ledger = tracker.history().ledger(REFERENCE_COUNTED);
            assertThat(ledger.bytes(DRAM)).isZero();
            assertThat(ledger.bytes(0, L1)).isEqualTo(12_288);
            assertThat(ledger.entries()).isEqualTo(3);
        }

        @Test
        void anEveryReportCounterHoldsOnToBothBinariesForGood() {
            PolicyLedger afterFrees = tracker.history().ledger(EVERY_REPORT);
            test.clearCache();
            test.close();
            PolicyLedger afterClose = tracker.history().ledger(EVERY_REPORT);

            assertThat(ALL_DEVICES).allSatisfy(device -> {
                assertThat(afterFrees.bytes(device, DRAM)).isEqualTo(36_864);
                assertThat(afterClose.bytes(device, DRAM)).isEqualTo(36_864);
            });
            assertThat(afterFrees.bytes(0, L1)).isEqualTo(22_528);
            assertThat(afterClose.bytes(0, L1)).isEqualTo(22_528);
            assertThat(afterFrees.entries()).isEqualTo(3);
            assertThat(afterClose.entries()).isEqualTo(3);
            assertThat(afterFrees.unknownFrees()).isZero();
            assertThat(afterClose.unknownFrees()).isEqualTo(16);
        }

        @Test
        void countingOncePerAddressHidesTheBinariesWhileTheyAreThere() {
            AllocationHistory history = tracker.history();

            assertThat(history.ledger(ONCE_PER_ADDRESS).bytes(DRAM)).isZero();
            assertThat(history.ledger(REFERENCE_COUNTED).bytes(DRAM)).isEqualTo(8L * BOTH_BINARIES);
        }

        @Test
        void countingOwnersOnlySeesNothingOfAMesh() {
            AllocationHistory history = tracker.history();

            assertThat(history.ledger(OWNED_ONLY).bytes(DRAM)).isZero();
            assertThat(history.ledger(OWNED_ONLY).peakBytes(0, DRAM)).isZero();
            assertThat(history.ledger(REFERENCE_COUNTED).peakBytes(0, DRAM)).isEqualTo(14_716_928);
        }

        @Test
        void theVerdictCallsTheThreeL1BuffersWhatTheyAre() {
            test.clearCache();
            test.close();

            LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

            assertThat(verdict.outcome()).isEqualTo(Outcome.MISREPORTED);
            assertThat(verdict.survivors())
                    .hasSize(3)
                    .extracting(Survivor::cause)
                    .containsOnly(Cause.CIRCULAR_BUFFER_UNREPORTED);
        }
    }

    /** The "22 to 12 KB" step of seed 003. */
    @Nested
    class WithCircularBufferFreesReportedToo {

        @Test
        void anEveryReportCounterStillHoldsThirtySixAndTwelveKiB() {
            MeshAllocation test = open().compute();
            test.freeTensors();
            PolicyLedger afterFrees = tracker.history().ledger(EVERY_REPORT);
            test.clearCache();
            test.close();
            PolicyLedger afterClose = tracker.history().ledger(EVERY_REPORT);

            assertThat(afterFrees.bytes(0, L1)).isEqualTo(22_528);
            assertThat(ALL_DEVICES)
                    .allSatisfy(
                            device -> assertThat(afterClose.bytes(device, DRAM)).isEqualTo(36_864));
            assertThat(afterClose.bytes(0, L1)).isEqualTo(12_288);
            assertThat(afterClose.entries()).isZero();
            assertThat(afterClose.unknownFrees()).isEqualTo(19);
        }

        @Test
        void nothingIsLeftInTruth() {
            open().run();

            LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

            assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
        }
    }

    /** Seed 004: "system buffers" of 14 to 15 MB on every device, and more on device 0 than on the others. */
    @Nested
    class OnTheEarlyRuntime {

        private MeshAllocation test;

        @BeforeEach
        void compute() {
            test = open(
                            BACKING_BUFFERS_REPORTED_AS_DEVICE_0,
                            NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
                            MESH_BUFFER_DEALLOCATE_RETURNS_EARLY,
                            CIRCULAR_BUFFERS_NEVER_REPORTED_FREE)
                    .compute();
        }

        @Test
        void device0ReachesTwentySixReports() {
            PolicyLedger ledger = tracker.history().ledger(EVERY_REPORT);

            assertThat(ledger.reports(0)).isEqualTo(26);
            assertThat(ledger.bytes(0, DRAM)).isEqualTo(29_507_584).isEqualTo(ledger.peakBytes(0, DRAM));
            assertThat(ledger.entries()).isEqualTo(67);
        }

        @Test
        void theTensorFreesShowOnDevice0Only() {
            test.freeTensors();

            PolicyLedger ledger = tracker.history().ledger(EVERY_REPORT);
            assertThat(ledger.reports(0)).isEqualTo(20);
            assertThat(ledger.bytes(0, DRAM)).isEqualTo(14_827_520);
            assertThat(ledger.bytes(0, L1)).isEqualTo(22_528);
            assertThat(ALL_DEVICES.subList(1, 8)).allSatisfy(device -> {
                assertThat(ledger.reports(device)).isEqualTo(10);
                assertThat(ledger.bytes(device, DRAM)).isEqualTo(14_753_792);
            });
            assertThat(ledger.entries()).isEqualTo(61);
        }

        @Test
        void theCacheClearTakesTwoReportsFromDevice0() {
            test.freeTensors();
            test.clearCache();

            PolicyLedger ledger = tracker.history().ledger(EVERY_REPORT);
            assertThat(ledger.reports(0)).isEqualTo(18);
            assertThat(ledger.bytes(0, DRAM)).isEqualTo(14_790_656);
            assertThat(ALL_DEVICES.subList(1, 8)).allSatisfy(device -> {
                assertThat(ledger.reports(device)).isEqualTo(10);
                assertThat(ledger.bytes(device, DRAM)).isEqualTo(14_753_792);
            });
            assertThat(ledger.entries()).isEqualTo(59);
        }

        @Test
        void theSystemBuffersAreTheTestsOwnTensorsWhoseFreesNobodyReported() {
            test.freeTensors();
            test.clearCache();
            test.close();

            LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

            assertThat(verdict.outcome()).isEqualTo(Outcome.MISREPORTED);
            assertThat(verdict.sum().leaked()).isZero();
            assertThat(bytesOnDevice(verdict, 1, Cause.FREE_UNREPORTED)).isEqualTo(14_680_064L + BOTH_BINARIES);
            assertThat(verdict.survivors(survivor -> survivor.buffer().type() == DRAM))
                    .allSatisfy(survivor -> assertThat(survivor.buffer().owner().isPresent()
                                    || survivor.buffer().size() >= 524_288)
                            .isTrue());
        }

        @Test
        void whatDevice0HoldsMoreWasReportedTwice() {
            test.freeTensors();
            test.clearCache();
            test.close();

            LeakVerdict verdict = LeakCheck.create().examine(tracker.history());

            assertThat(bytesOnDevice(verdict, 0, Cause.REPORTED_TWICE)).isEqualTo(14_680_064L + BOTH_BINARIES);
        }

        private long bytesOnDevice(LeakVerdict verdict, int device, Cause cause) {
            return verdict
                    .survivors(survivor ->
                            survivor.cause() == cause && survivor.buffer().device() == device)
                    .stream()
                    .mapToLong(survivor -> survivor.buffer().size())
                    .sum();
        }
    }

    /** Reported is not reserved: every bank takes whole pages, so a witness compares addresses. */
    @Test
    void theWitnessListsEveryReportedAddressAsAllocated() {
        MeshAllocation test = open().compute();
        test.close();

        WitnessSnapshot reading = tracker.history().witnessSnapshots().get(0).snapshot();

        assertThat(reading.moment()).isEqualTo(WitnessSnapshot.Moment.CLOSE_BEGUN);
        assertThat(IntStream.range(0, 8).boxed())
                .allSatisfy(device -> assertThat(reading.allocatedAddresses(device, DRAM))
                        .containsExactly(
                                2_560_032L,
                                2_910_240L,
                                3_260_448L,
                                3_610_656L,
                                3_655_712L,
                                3_700_768L,
                                0x3fff_f000L,
                                0x3fff_f800L));
    }
}
