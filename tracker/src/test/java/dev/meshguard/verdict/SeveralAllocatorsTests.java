package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.AFTER_WIPE;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.tracker.script.HistoryScript;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mesh, each device and each sub-device have an allocator of their own, and two of them reserve one address. */
class SeveralAllocatorsTests {

    private static final AllocatorId FIRST = AllocatorId.subDevice(1, 0);
    private static final AllocatorId SECOND = AllocatorId.subDevice(1, 1);

    @Test
    void aBufferOfADeviceBesideOneOfTheMeshIsABufferOfItsOwn() {
        AllocationHistory history = tensorBesideDeviceBuffer().closed();

        LeakVerdict verdict = LeakCheck.create().examine(history);
        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict.sum().allocated()).isEqualTo(3);
        assertThat(verdict.sum().freed()).isEqualTo(2);
        assertThat(verdict.survivors()).singleElement().satisfies(left -> {
            assertThat(left.buffer().size()).isEqualTo(2_048);
            assertThat(left.buffer().allocator()).hasValue(AllocatorId.DEVICE);
            assertThat(left.buffer().mesh()).isEmpty();
        });
        assertThat(verdict.inconclusiveReasonTexts()).isEmpty();
    }

    @Test
    void theTrackerAndThePolicyLedgerAddUpOverAllocators() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, size 1000, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 24, allocator DEVICE
                """);

        assertThat(history.ledgerEntries()).isEqualTo(2);
        assertThat(history.snapshot().bytes(0, DRAM)).isEqualTo(1_024);
        for (CountingPolicy policy :
                new CountingPolicy[] {CountingPolicy.REFERENCE_COUNTED, CountingPolicy.ONCE_PER_ADDRESS}) {
            PolicyLedger books = history.ledger(policy);
            assertThat(books.bytes(DRAM)).isEqualTo(1_024);
            assertThat(books.entries()).isEqualTo(2);
            assertThat(books.repetitions()).isEmpty();
        }
    }

    @Test
    void ofTwoAtOneAddressTheOneThatWasNotFreedIsLeft() {
        AllocationHistory history = historyOf("""
                without origins; mesh 0 over 0; allocate DRAM 0x1000 on 0, size 1000, mesh 0, allocator MESH;
                allocate DRAM 0x1000 on 0, size 24, allocator DEVICE; free DRAM 0x1000 on 0, mesh 0, allocator MESH;
                close
                """);

        LeakVerdict verdict = LeakCheck.create().examine(history);
        assertThat(verdict.survivors()).singleElement().satisfies(left -> {
            assertThat(left.buffer().size()).isEqualTo(24);
            assertThat(left.buffer().allocator()).hasValue(AllocatorId.DEVICE);
        });
        assertThat(verdict.inconclusiveReasonTexts()).isEmpty();
    }

    @Test
    void twoSubDevicesOfOneManagerShareNoMemoryAndADeviceAndItsMeshDo() {
        AllocationHistory apart = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .onMesh(0)
                .fromAllocator(FIRST)
                .allocate(L1, device(0), 0x1000, 64)
                .onMesh(0)
                .fromAllocator(SECOND)
                .recorded();

        assertThat(apart.generations()).hasSize(2);
        assertThat(apart.ledgerEntries()).isEqualTo(2);
        assertThat(apart.anomalies()).isEmpty();
        assertThat(tensorBesideDeviceBuffer().recorded().anomalies())
                .extracting(Anomaly::kind)
                .containsExactly(Anomaly.Kind.HELD_BY_TWO_ALLOCATORS);
    }

    @Test
    void aBufferOfADeviceIsJudgedByTheCloseThatEndsTheDevice() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; mesh 1 in 0 over 0; allocate DRAM 0x1000 on 0, allocator DEVICE, owning;
                witness CLOSE_BEGUN DRAM on 0: 0x1000, mesh 1; close 1; witness CLOSE_BEGUN DRAM on 0; close
                """);

        assertThat(LeakCheck.create().examine(history).survivors())
                .extracting(Survivor::cause)
                .containsExactly(Cause.FREE_UNREPORTED);
    }

    @Test
    void aReadingOfOneAllocatorSpeaksForItsOwnBuffersOnly() {
        AllocationHistory history = tensorBesideDeviceBuffer().report("""
                witness CLOSE_BEGUN DRAM on 0..1: 0x1000, allocator MESH;
                witness CLOSE_BEGUN DRAM on 0, allocator DEVICE
                """).closed();

        LeakVerdict verdict = LeakCheck.create().examine(history);
        assertThat(verdict.survivors())
                .describedAs("the device's own allocator called it free")
                .singleElement()
                .satisfies(left -> assertThat(left.cause()).isEqualTo(Cause.FREE_UNREPORTED));
        assertThat(verdict.inconclusiveReasonTexts())
                .describedAs("the mesh still holds buffers that were freed and that no ledger has")
                .singleElement()
                .asString()
                .startsWith(expected(history, "When close began ({witnessed 1})"));
    }

    @Test
    void reportsThatNameNoAllocatorMatchWhatOneReserved() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0; free DRAM 0x1000 on 0, mesh 0, allocator MESH;
                allocate DRAM 0x2000 on 0, allocator DEVICE; free DRAM 0x2000 on 0; close
                """);

        assertThat(history.live()).isEmpty();
        assertThat(history.ledgerEntries()).isZero();
        assertThat(history.anomalies()).isEmpty();
    }

    @Test
    void aFreeOfOneAllocatorTakesNothingFromAnother() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, mesh 0, allocator MESH;
                free DRAM 0x1000 on 0, allocator DEVICE; close
                """);

        assertThat(history.live()).extracting(BufferGeneration::mesh).containsExactly(OptionalInt.of(0));
        assertThat(history.anomalies()).singleElement().satisfies(anomaly -> {
            assertThat(anomaly.kind()).isEqualTo(Anomaly.Kind.UNKNOWN_FREE);
            assertThat(anomaly.generation().flatMap(BufferGeneration::allocator))
                    .isEqualTo(Optional.of(AllocatorId.MESH));
        });
        assertThat(history.ledgerEntries()).isOne();
    }

    /** A freed tensor on devices 0 and 1, and a surviving buffer of device 0 alone at its address. */
    private static HistoryScript tensorBesideDeviceBuffer() {
        return history()
                .mesh(0, 0, 1)
                .allocate(DRAM, devices(0, 1), 0x1000, 32 << 20)
                .onMesh(0)
                .fromAllocator(AllocatorId.MESH)
                .allocate(DRAM, device(0), 0x1000, 2_048)
                .fromAllocator(AllocatorId.DEVICE)
                .owning()
                .free(DRAM, devices(0, 1), 0x1000)
                .onMesh(0)
                .fromAllocator(AllocatorId.MESH);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            false|sub-device manager 1 was cleaned up when the mesh closed: its allocator listed 0x1000 (4096) as free afterwards
            true|sub-device manager 1 was not cleaned up when the mesh closed: its allocator listed 0x1000 (4096) as allocated afterwards
            """)
    void aLeakInASubDeviceSaysWhetherItsManagerWasCleanedUp(boolean isStillAllocated, String evidence) {
        HistoryScript script = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 0x1000, 64)
                .onMesh(0)
                .fromAllocator(FIRST);
        readings(script, CLOSE_BEGUN, 0x1000);
        if (isStillAllocated) {
            readings(script, AFTER_WIPE, 0x1000);
        } else {
            readings(script, AFTER_WIPE);
        }

        LeakVerdict verdict = LeakCheck.create().examine(script.closed());

        assertThat(verdict.survivors())
                .singleElement()
                .satisfies(left -> assertThat(left.diagnosis().evidence())
                        .extracting(Evidence::text)
                        .filteredOn(text -> text.startsWith("sub-device manager"))
                        .singleElement()
                        .asString()
                        .startsWith(evidence));
    }

    private static void readings(HistoryScript script, WitnessSnapshot.Moment moment, long... allocated) {
        script.witnessOf(WitnessSnapshot.of(0, moment).ofAllocator(FIRST), L1, device(0), allocated);
    }
}
