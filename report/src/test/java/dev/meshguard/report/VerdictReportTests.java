package dev.meshguard.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VerdictReportTests {

    private static final AllocationDetails OF_ADD = AllocationDetails.user().ownedBy(Owner.program("add"));

    private static final int TWO_MIB = 2 * 1024 * 1024;

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void reportsThatEverythingWasFreed() {
        tracker.allocated(0, BufferType.DRAM, 4096, 100);
        tracker.freed(0, BufferType.DRAM, 4096);

        assertThat(text()).isEqualTo("""
                CLEAN  all memory was freed
                sum     1 allocated = 1 freed""");
    }

    @Test
    void saysThatNothingWasTracked() {
        tracker.sourceAttached("binding");

        assertThat(text()).isEqualTo("""
                CLEAN  all memory was freed
                sum     0 allocated = 0 freed""");
    }

    @Test
    void reportsLeaksAndWrongReportsUnderSeparateHeadlines() {
        openMesh();
        Scope test = tracker.phase(Phase.TEST);
        onBothDevices("kv-cache", 4096, TWO_MIB);
        MemoryRequest weights = onBothDevices("weights", 2_101_248, 64);
        circularBuffer();
        test.close();
        closeMeshHolding(4096);

        assertThat(weights.details().label()).contains("weights");
        assertThat(text()).isEqualTo("""
                LEAK  4 MiB in 2 DRAM buffers, UNEXPLAINED
                1. DRAM  2 x 2 MiB (2097152 B), one on each of devices 0-1 at 0x1000 (4096), label "kv-cache"
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (events #3 to #4)
                         the allocator reported 0x1000 (4096) as allocated when close began (event #12)

                MISREPORTED  3 buffers (4.13 KiB) lack a free report
                2. L1  4 KiB (4096 B) on device 0 at 0x18b20 (101152), owned by program 7 (add)
                   at an unknown place (no origin was captured)
                   why   CIRCULAR_BUFFER_UNREPORTED: program 7 (add) ended at event #8, and its free was never reported
                   fix   Report the end of a program's circular buffers when the program ends; they take no allocator memory.
                   seen  allocated in TEST (event #7)
                         circular buffers lie outside the allocator, so closing the device cannot free it
                3. DRAM  128 B: 2 x 64 B, one on each of devices 0-1 at 0x201000 (2101248), label "weights"
                   at an unknown place (no origin was captured)
                   why   FREE_UNREPORTED: the allocator reported 0x201000 (2101248) as free when close began (event #12)
                   fix   Report the free in every path that releases the buffer (views, early returns, closed devices); the memory
                         itself was freed.
                   seen  allocated in TEST (events #5 to #6)

                sum     5 allocated = 0 freed + 2 leaked + 3 misreported
                expect  one of them: @ExpectBuffers(type = DRAM, size = 2097152, atMost = 2, label = "kv-cache", because = "…")""");
    }

    @Test
    void isTheSameInEveryLocale() {
        openMesh();
        onBothDevices("kv-cache", 4096, TWO_MIB);
        closeMeshHolding(4096);
        String here = text();
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));

            assertThat(text()).isEqualTo(here);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void namesBothSidesOfAFreeOfNothing() {
        tracker.allocated(3, BufferType.L1, 101_152, 4096);
        tracker.freed(3, BufferType.L1, 101_152);
        tracker.freed(3, BufferType.L1, 101_152);
        tracker.freed(3, BufferType.DRAM, 64);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 2 frees of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #3)
                   why   the buffer that was there, 4 KiB (4096 B), was freed before, at event #2
                2. free of an unknown address: DRAM 0x40 (64) on device 3 (event #4)
                   why   no buffer was ever reported there

                sum     1 allocated = 1 freed""");
    }

    /** A move frees its input by address twice: the second free meets the output, which its owner then frees in vain. */
    @Test
    void namesTheLinesOfTheBufferWhoseMemoryWasFreedUnderIt() {
        for (int owner = 0; owner < 2; owner++) {
            tracker.allocated(3, BufferType.L1, 101_152, 4096);
            tracker.freed(3, BufferType.L1, 101_152);
        }
        tracker.freed(3, BufferType.L1, 101_152);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        LogLines lines = new LogLines("server.log", event -> OptionalLong.of(10 * event));

        assertThat(VerdictReport.ofLog(verdict, Optional.empty(), lines).text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 free of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #5)
                   where server.log:50
                   why   the buffer that was there, 4 KiB (4096 B), was freed before, at event #4
                   freed before at server.log:40
                   seen  allocated at server.log:30

                sum     2 allocated = 2 freed""");
    }

    static Stream<Arguments> freesOfOthers() {
        return Stream.of(
                arguments(OF_ADD.asView(), "the free is of a view"),
                arguments(OF_ADD.ofKind(BufferKind.CIRCULAR_BUFFER), "the free is of a circular buffer"),
                arguments(OF_ADD.ownedBy(Owner.program("matmul")), "the free names program matmul, not program add"));
    }

    @ParameterizedTest
    @MethodSource("freesOfOthers")
    void saysWhyAFreeIsNotOfTheBufferAtItsAddress(AllocationDetails freed, String why) {
        tracker.allocated(tracker.request(OF_ADD), 3, BufferType.L1, 4096, 64, Ownership.OWNING);
        tracker.freed(tracker.release(freed), 3, BufferType.L1, 4096, Ownership.OWNING);
        tracker.freed(tracker.release(OF_ADD), 3, BufferType.L1, 4096, Ownership.OWNING);

        assertThat(text())
                .contains("1. free that fits no buffer there: L1 0x1000 (4096) on device 3 (event #2)")
                .containsIgnoringWhitespaces("is another one: " + why);
    }

    @Test
    void comparesAFreeWithTheReportThatWasOpenThen() {
        for (String program : List.of("add", "matmul")) {
            tracker.allocated(
                    tracker.request(OF_ADD.ownedBy(Owner.program(program))),
                    3,
                    BufferType.L1,
                    4096,
                    64,
                    Ownership.OWNING);
        }
        for (int times = 0; times < 2; times++) {
            tracker.freed(tracker.release(OF_ADD), 3, BufferType.L1, 4096, Ownership.OWNING);
        }

        assertThat(text()).containsIgnoringWhitespaces("the free names program add, not program matmul");
    }

    @Test
    void saysThatABufferWentWithItsHandle() {
        tracker.allocated(3, BufferType.L1, 101_152, 4096);
        freedWithItsHandle(3, 101_152);
        tracker.freed(3, BufferType.L1, 101_152);

        assertThat(text()).isEqualTo("""
                MISREPORTED  no memory leaked; 1 free of nothing

                1. double free: L1 0x18b20 (101152) on device 3 (event #3)
                   why   the buffer that was there, 4 KiB (4096 B), was freed before, at event #2, when its handle was collected

                note    1 buffer was freed when its handle was collected; the first at event #2: L1 0x18b20 (101152) on device 3
                sum     1 allocated = 1 freed""");
    }

    @Test
    void countsTheBuffersThatWentWithTheirHandles() {
        tracker.allocated(0, BufferType.L1, 101_152, 100);
        tracker.allocated(1, BufferType.L1, 101_152, 100);
        freedWithItsHandle(0, 101_152);
        freedWithItsHandle(1, 101_152);

        assertThat(text())
                .startsWith("CLEAN  all memory was freed")
                .contains("note    2 buffers were freed when their handles were collected; the first at event #3:"
                        + " L1 0x18b20 (101152) on device 0\n");
    }

    @Test
    void mentionsWhatTheRuntimeIgnoredWithoutBlamingIt() {
        tracker.allocated(0, BufferType.DRAM, 4096, 100);
        tracker.freed(0, BufferType.DRAM, 4096);
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 0, BufferType.DRAM, 4096, IgnoredFreeReason.ALREADY_FREED);

        assertThat(text()).isEqualTo("""
                CLEAN  all memory was freed
                note    second free, ignored by the runtime, once; the first at event #3: DRAM 0x1000 (4096) on device 0
                sum     1 allocated = 1 freed""");
    }

    @Test
    void listsWhatWasExpectedAndWhatNeverCame() {
        tracker.allocated(0, BufferType.L1, 901_152, 4096);
        tracker.allocated(0, BufferType.L1, 905_248, 4096);

        String text = VerdictReport.of(LeakCheck.create()
                        .expecting(ExpectedBuffers.of(
                                Expectation.because("the driver keeps one ring")
                                        .type(BufferType.L1)
                                        .atMost(1),
                                Expectation.because("telemetry").owner("fabric")))
                        .examine(tracker.history()))
                .noting("the mesh was closed by the extension")
                .reproducedBy("mvn test -Dtest=KvCacheTest#decode")
                .text();

        assertThat(text).isEqualTo("""
                LEAK  4 KiB in 1 L1 buffer, UNEXPLAINED

                1. L1  4 KiB (4096 B) on device 0 at 0xdd020 (905248)
                   at an unknown place (no origin was captured)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in START (event #2)

                Expected and present: 1 buffer, 4 KiB (4096 B) (L1, at most 1 buffer, because "the driver keeps one ring"); 1 more than that allows
                Never matched: 1 (owner "fabric", because "telemetry")
                note    the mesh was closed by the extension
                sum     2 allocated = 0 freed + 1 leaked + 1 expected
                expect  @ExpectBuffers(type = L1, device = 0, size = 4096, atMost = 1, because = "…")
                rerun   mvn test -Dtest=KvCacheTest#decode""");
    }

    @Test
    void saysWhyItCannotKnow() {
        openMesh();
        tracker.reportsLost(3, "the socket's buffer was full");
        onBothDevices("kv-cache", 4096, TWO_MIB);

        assertThat(text()).isEqualTo("""
                INCONCLUSIVE  4 MiB in 2 DRAM buffers may have leaked: mesh 1 (1x2 mesh) is still open, and 1 more reason

                   why   Mesh 1 (1x2 mesh) is still open, so its buffers may still be freed. Close it before the check.
                         3 reports are missing (event #2: the socket's buffer was full).
                1. DRAM  2 x 2 MiB (2097152 B), one on each of devices 0-1 at 0x1000 (4096), label "kv-cache"
                   at an unknown place (no origin was captured)
                   why   undecided: mesh 1 is still open, so it may still be freed
                   seen  allocated in START (events #3 to #4)

                sum     2 allocated = 0 freed + 2 undecided""");
    }

    @Test
    void fitsTenThousandLeaksOnAScreen() {
        for (int i = 0; i < 10_000; i++) {
            tracker.allocated(
                    tracker.request(AllocationDetails.user().labelled("buffer " + i)),
                    0,
                    BufferType.DRAM,
                    i * 64L,
                    64,
                    Ownership.OWNING);
        }

        List<String> lines = text().lines().toList();

        assertThat(lines).hasSizeLessThanOrEqualTo(40).contains("… and 9992 more (9992 buffers, 624.5 KiB)");
    }

    @Test
    void fitsWhateverThereIsToSayOnAScreen() {
        openMesh();
        tracker.reportsLost(1, "the socket's buffer was full");
        for (BufferType type : BufferType.values()) {
            for (int i = 0; i < 20; i++) {
                AllocationDetails details = AllocationDetails.user().labelled("buffer " + i);
                tracker.allocated(tracker.request(details), 0, type, i * 64L, 64, Ownership.OWNING);
                tracker.allocated(
                        tracker.request(AllocationDetails.system(Owner.program("7"))),
                        1,
                        type,
                        i * 64L,
                        64,
                        Ownership.OWNING);
                tracker.freed(0, type, 1 << 20);
            }
        }
        circularBuffer();
        tracker.meshClosed(1);
        VerdictReport report = VerdictReport.of(LeakCheck.create()
                .expecting(new ExpectedBuffers(IntStream.range(0, 30)
                        .mapToObj(i -> Expectation.because("telemetry " + i).label("buffer " + i))
                        .toList()))
                .examine(tracker.history()));
        for (int i = 0; i < 30; i++) {
            report = report.noting("note " + i);
        }

        List<String> lines = report.reproducedBy("mvn test").text().lines().toList();

        assertThat(lines)
                .hasSizeLessThanOrEqualTo(40)
                .anyMatch(line -> line.startsWith("LEAK"))
                .anyMatch(line -> line.startsWith("INCONCLUSIVE"))
                .anyMatch(line -> line.startsWith("MISREPORTED"))
                .anyMatch(line -> line.matches("… and \\d+ more expectations"))
                .anyMatch(line -> line.matches("… and \\d+ more notes"))
                .endsWith("rerun   mvn test");
    }

    @Test
    void aLabelKeepsToItsLineAndItsEntryCompiles() {
        onBothDevices("kv \"cache\"\n\\ \u202e\u0000é", 4096, 64);

        String label = "\"kv \\\"cache\\\"\\n\\\\ \\u202e\\u0000é\"";
        assertThat(text()).contains(", label " + label + "\n").contains(", label = " + label + ", because");
    }

    private String text() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }

    private void openMesh() {
        tracker.meshOpened(MeshDescription.of(1, "1x2 mesh", List.of(0, 1)));
    }

    private MemoryRequest onBothDevices(String label, long address, long size) {
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled(label));
        for (int device = 0; device < 2; device++) {
            tracker.allocated(request, device, BufferType.DRAM, address, size, Ownership.NON_OWNING);
        }
        return request;
    }

    private void circularBuffer() {
        Owner program = Owner.program("7 (add)");
        tracker.allocated(
                tracker.request(AllocationDetails.circularBuffer(program)),
                0,
                BufferType.L1,
                101_152,
                4096,
                Ownership.OWNING);
        tracker.ownerEnded(program);
    }

    private void closeMeshHolding(long address) {
        try (Scope closing = tracker.phase(Phase.CLOSE)) {
            tracker.meshClosing(1);
            tracker.witnessed(
                    WitnessSnapshot.of(1, Moment.CLOSE_BEGUN).region(List.of(0, 1), BufferType.DRAM, address));
            tracker.meshClosed(1);
        }
    }

    private void freedWithItsHandle(int device, long address) {
        tracker.freed(
                tracker.release(AllocationDetails.user().ofCollectedHandle()),
                device,
                BufferType.L1,
                address,
                Ownership.OWNING);
    }
}
