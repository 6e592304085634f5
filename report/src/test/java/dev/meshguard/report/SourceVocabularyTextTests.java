package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.JsonSchemas;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Texts about memory that belongs to no device, in the words of its source. */
class SourceVocabularyTextTests {

    private static final String NETTY = "netty";
    private static final String ARENAS = "arenas";

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    private long last;

    private void attachNetty() {
        tracker.sourceAttached(SourceDescription.of(NETTY)
                .speaking(SourceVocabulary.of("Netty memory").freedBy("release", "released")));
        tracker.phase(Phase.TEST);
    }

    private void attachArenas() {
        tracker.sourceAttached(SourceDescription.of(ARENAS)
                .speaking(
                        SourceVocabulary.of("native memory").countedIn("arena").freedBy("close", "closed")));
        tracker.phase(Phase.TEST);
    }

    private static MemoryRequest at(String name, int line, AllocationDetails details) {
        var frame = new StackTraceElement("dev.example.DecoderTests", name, "DecoderTests.java", line);
        return MemoryRequest.restored(details, Optional.of(Origin.of(frame)));
    }

    private MemoryRequest allocate(String name, int line, String source, long bytes) {
        MemoryRequest request = at(name, line, AllocationDetails.user().fromSource(source));
        inThisOrder();
        tracker.allocated(request, NO_DEVICE, SYSTEM_MEMORY, ++last, bytes, Ownership.UNKNOWN);
        return request;
    }

    private void attachObjects(String className) {
        tracker.sourceAttached(SourceDescription.of(className).speaking(SourceVocabulary.ofObjects(simple(className))));
        tracker.phase(Phase.TEST);
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    private void construct(String className, StackTraceElement... stack) {
        AllocationDetails details =
                AllocationDetails.user().labelled(simple(className)).fromSource(className);
        inThisOrder();
        tracker.allocated(
                MemoryRequest.restored(details, Optional.of(Origin.of(stack))),
                NO_DEVICE,
                SYSTEM_MEMORY,
                ++last,
                0,
                Ownership.UNKNOWN);
    }

    private MemoryRequest construct(String name, int line, String className) {
        MemoryRequest request =
                at(name, line, AllocationDetails.user().labelled(className).fromSource(className));
        inThisOrder();
        tracker.allocated(request, NO_DEVICE, SYSTEM_MEMORY, ++last, 0, Ownership.UNKNOWN);
        return request;
    }

    private void free(String name, int line, long number) {
        inThisOrder();
        tracker.freed(at(name, line, AllocationDetails.user()), NO_DEVICE, SYSTEM_MEMORY, number, Ownership.UNKNOWN);
    }

    /** Requests determine the order of events. */
    private void inThisOrder() {
        tracker.request(AllocationDetails.user().labelled("order"));
    }

    private LeakVerdict verdict(Expectation... expected) {
        return LeakCheck.create().expecting(ExpectedBuffers.of(expected)).examine(tracker.history());
    }

    private static String text(LeakVerdict verdict) {
        return VerdictReport.of(verdict).text();
    }

    @Test
    void namesAHeldBufferByItsMemoryAndItsVerb() {
        attachNetty();
        MemoryRequest request = allocate("keeps", 21, NETTY, 128);
        tracker.checked();
        tracker.traced(request, Reachability.heldBy(List.of("DecoderTests.last")));

        assertThat(text(verdict())).isEqualTo("""
                LEAK  128 B of Netty memory in 1 buffer, HELD by DecoderTests.last; allocated in DecoderTests.java:21

                1. Netty memory  128 B
                   at dev.example.DecoderTests.keeps(DecoderTests.java:21)
                   why   HELD: still referenced by DecoderTests.last (event #5)
                   fix   Release the buffer before the test ends.
                   seen  allocated in TEST (event #3)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 128, atMost = 1, origin = "DecoderTests.keeps", because = "…")""");
    }

    @Test
    void namesALostArena() {
        attachArenas();
        MemoryRequest request = allocate("drops", 30, ARENAS, 4096);
        tracker.checked();
        tracker.traced(request, Reachability.lost());

        assertThat(text(verdict())).isEqualTo("""
                LEAK  4 KiB of native memory in 1 arena, LOST; allocated in DecoderTests.java:30

                1. native memory  4 KiB
                   at dev.example.DecoderTests.drops(DecoderTests.java:30)
                   why   LOST: no handle to it is reachable any more, and no close of it was reported (event #5)
                   fix   Close the arena before the test ends on every path: with try-with-resources, or in a finally block.
                   seen  allocated in TEST (event #3)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, origin = "DecoderTests.drops", because = "…")""");
    }

    @Test
    void countsMemoryOfUnknownSizeInUnits() {
        attachArenas();
        allocate("opens", 33, ARENAS, 0);
        allocate("opens", 33, ARENAS, 0);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  2 arenas of native memory were never closed; allocated in DecoderTests.java:33

                1. native memory  2 arenas
                   at dev.example.DecoderTests.opens(DecoderTests.java:33)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the arena before the test ends.
                   seen  allocated in TEST (events #3 to #4)

                sum     2 allocated = 0 freed + 2 leaked
                expect  @ExpectBuffers(atMost = 2, origin = "DecoderTests.opens", because = "…")""");
    }

    @Test
    void countsObjectsByTheNameOfTheirClass() {
        attachObjects("RocksIterator");
        MemoryRequest request = construct("scans", 27, "RocksIterator");
        construct("scans", 27, "RocksIterator");
        free("stops", 40, last);
        tracker.checked();
        tracker.traced(request, Reachability.heldBy(List.of("StoreTests.store", "Store.open", "ArrayList[3]")));

        assertThat(text(verdict())).isEqualTo("""
                LEAK  1 RocksIterator, HELD by Store.open; constructed in DecoderTests.java:27

                1. 1 RocksIterator
                   at dev.example.DecoderTests.scans(DecoderTests.java:27)
                   why   HELD: still referenced by StoreTests.store -> Store.open -> ArrayList[3] (event #7)
                   fix   Close the RocksIterator before the test ends.
                   seen  constructed in TEST (event #3)
                         1 of 2 RocksIterator from this line were closed, in TEST; this one was first passed over at event #5

                sum     2 constructed = 1 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "RocksIterator", origin = "DecoderTests.scans", because = "…")""");
    }

    @Test
    void countsObjectsInTheirWordsBesideASourceThatAllocatedNothing() {
        attachObjects("RocksIterator");
        attachNetty();
        construct("scans", 27, "RocksIterator");
        tracker.checked();

        assertThat(text(verdict())).contains("sum     1 constructed = 0 closed + 1 leaked");
    }

    @Test
    void countsTheObjectsOfEachClass() {
        attachObjects("RocksIterator");
        attachObjects("Options");
        construct("scans", 27, "RocksIterator");
        construct("scans", 27, "RocksIterator");
        construct("opens", 20, "Options");
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  2 RocksIterator and 1 Options, 2 findings; first RocksIterator UNEXPLAINED (DecoderTests.java:27)

                1. 2 RocksIterator
                   at dev.example.DecoderTests.scans(DecoderTests.java:27)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the RocksIterator before the test ends.
                   seen  constructed in TEST (events #5 to #6)
                2. 1 Options
                   at dev.example.DecoderTests.opens(DecoderTests.java:20)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Options before the test ends.
                   seen  constructed in TEST (event #7)

                sum     3 constructed = 0 closed + 3 leaked
                expect  one of them: @ExpectBuffers(atMost = 2, label = "RocksIterator", origin = "DecoderTests.scans", because = "…")""");
    }

    /** Closing the store closes its options. */
    @Test
    void namesThePartsOfAnObjectWithIt() {
        StackTraceElement opens = new StackTraceElement("dev.example.DecoderTests", "opens", "DecoderTests.java", 20);
        StackTraceElement store = new StackTraceElement("dev.example.Store", "<init>", "Store.java", 7);
        attachObjects("dev.example.Options");
        attachObjects("dev.example.Store");
        construct("dev.example.Options", store, opens);
        construct("dev.example.Store", opens);
        construct("dev.example.Options", opens);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  1 Store and 2 Options, 2 findings; first Store UNEXPLAINED (DecoderTests.java:20)

                1. 1 Store, and 1 Options with it
                   at dev.example.DecoderTests.opens(DecoderTests.java:20)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Store before the test ends.
                   seen  constructed in TEST (event #6)
                2. 1 Options
                   at dev.example.DecoderTests.opens(DecoderTests.java:20)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Options before the test ends.
                   seen  constructed in TEST (event #7)

                sum     3 constructed = 0 closed + 3 leaked
                expect  one of them: @ExpectBuffers(atMost = 1, label = "Store", origin = "DecoderTests.opens", because = "…")""");
    }

    @Test
    void namesNoSizeOfExpectedObjects() {
        attachObjects("RocksIterator");
        construct("scans", 27, "RocksIterator");
        tracker.checked();

        assertThat(text(verdict(Expectation.because("closed with the store")
                        .label("RocksIterator")
                        .exactly(1))))
                .isEqualTo("""
                CLEAN  only expected memory remains: 1 RocksIterator
                Expected and present: 1 RocksIterator (label "RocksIterator", exactly 1 buffer, because "closed with the store")
                sum     1 constructed = 0 closed + 1 expected""");
    }

    @Test
    void namesAnArenaWhoseCloseFailed() {
        attachArenas();
        allocate("opens", 33, ARENAS, 4096);
        inThisOrder();
        tracker.freeIgnored(
                at("stops", 40, AllocationDetails.user().labelled("java.lang.IllegalStateException: in use")),
                NO_DEVICE,
                SYSTEM_MEMORY,
                last,
                IgnoredFreeReason.FAILED);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  4 KiB of native memory in 1 arena was never closed; allocated in DecoderTests.java:33

                1. native memory  4 KiB
                   at dev.example.DecoderTests.opens(DecoderTests.java:33)
                   why   UNEXPLAINED: no close was reported
                   fix   Correct the call that failed: the arena stays until a close succeeds.
                   seen  allocated in TEST (event #3)
                         a call that should close it failed at event #4 with java.lang.IllegalStateException: in use, at
                         dev.example.DecoderTests.stops(DecoderTests.java:40)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, origin = "DecoderTests.opens", because = "…")""");
    }

    @Test
    void namesOnlyExpectedMemory() {
        attachNetty();
        allocate("keeps", 21, NETTY, 128);
        tracker.checked();

        assertThat(text(verdict(
                        Expectation.because("a shared constant").size(128).exactly(1))))
                .isEqualTo("""
                CLEAN  only expected memory remains: 128 B in 1 buffer
                Expected and present: 1 buffer, 128 B (128 B each, exactly 1 buffer, because "a shared constant")
                sum     1 allocated = 0 freed + 1 expected""");
    }

    @Test
    void namesAStaleExpectation() {
        attachNetty();
        allocate("keeps", 21, NETTY, 128);
        tracker.checked();

        assertThat(text(verdict(
                        Expectation.because("shared constants").size(128).exactly(2))))
                .isEqualTo("""
                STALE  1 expectation promises more than survived

                1. 1 buffer survived, 128 B: 128 B each, exactly 2 buffers, because "shared constants"
                   fix   If fewer are right, expect the survivors:
                         @ExpectBuffers(size = 128, exactly = 1, because = "shared constants")
                         as a line of a file: size 128 count exactly 1 because "shared constants"

                Expected and present: 1 buffer, 128 B (128 B each, exactly 2 buffers, because "shared constants")
                sum     1 allocated = 0 freed + 1 expected""");
    }

    @Test
    void namesABufferThatWasReleasedAfterTheCheck() {
        attachNetty();
        allocate("keeps", 21, NETTY, 128);
        tracker.checked();
        free("stops", 40, 1);

        assertThat(text(verdict())).isEqualTo("""
                FREED_LATE  128 B of Netty memory in 1 buffer was released only after the check (DecoderTests.java:21)

                1. Netty memory  128 B
                   at dev.example.DecoderTests.keeps(DecoderTests.java:21)
                   why   LATE: released at event #5, after the check (event #4), at dev.example.DecoderTests.stops(DecoderTests.java:40)
                   fix   Wait for the thread that has to release it before the check, or release it in the test itself.
                   seen  allocated in TEST (event #3)

                sum     1 allocated = 0 freed + 1 freed late
                expect  @ExpectBuffers(size = 128, atMost = 1, origin = "DecoderTests.keeps", because = "…")""");
    }

    @Test
    void namesABufferThatWasReleasedTwice() {
        attachNetty();
        allocate("keeps", 21, NETTY, 128);
        free("stops", 40, 1);
        free("stops", 41, 1);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                MISREPORTED  no memory leaked; 1 release of nothing

                1. double release: Netty memory (event #5)
                   at dev.example.DecoderTests.stops(DecoderTests.java:41)
                   why   it, 128 B, was released before, at event #4
                   freed before at dev.example.DecoderTests.stops(DecoderTests.java:40)
                   seen  allocated at dev.example.DecoderTests.keeps(DecoderTests.java:21)

                sum     1 allocated = 1 freed""");
    }

    @Test
    void namesNoOtherSourceOfABufferThatWasFreedTwice() {
        attachNetty();
        tracker.sourceAttached("handles");
        allocate("keeps", 21, "handles", 128);
        free("stops", 40, 1);
        free("stops", 41, 1);
        tracker.checked();

        assertThat(text(verdict())).contains("1. double free: SYSTEM_MEMORY (event #6)");
    }

    @Test
    void namesABufferOfWhichReportsAreMissing() {
        attachNetty();
        allocate("keeps", 21, NETTY, 128);
        tracker.reportsLost(1, "the leak detector was replaced");
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                INCONCLUSIVE  128 B of Netty memory in 1 buffer may have leaked

                   why   1 report is missing (event #4: the leak detector was replaced).
                1. Netty memory  128 B
                   at dev.example.DecoderTests.keeps(DecoderTests.java:21)
                   why   undecided: no release was reported
                   seen  allocated in TEST (event #3)
                         reports got lost later on (event #4), so it may have been freed, and no snapshot covers it

                sum     1 allocated = 0 freed + 1 undecided""");
    }

    @Test
    void namesEachBufferInTheWordsOfItsOwnSource() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        attachArenas();
        allocate("opens", 33, ARENAS, 4096);
        inThisOrder();
        tracker.allocated(
                at("loads", 50, AllocationDetails.user().onMesh(0)), 0, DRAM, 0x1000, 1024, Ownership.UNKNOWN);
        tracker.meshClosing(0);
        tracker.meshClosed(0);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  5 KiB in 2 allocations, 2 findings; largest 4 KiB UNEXPLAINED (DecoderTests.java:33)

                1. native memory  4 KiB
                   at dev.example.DecoderTests.opens(DecoderTests.java:33)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the arena before the test ends.
                   seen  allocated in TEST (event #4)
                2. DRAM  1 KiB on device 0
                   at dev.example.DecoderTests.loads(DecoderTests.java:50)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (event #5)

                sum     2 allocated = 0 freed + 2 leaked
                expect  one of them: @ExpectBuffers(size = 4096, atMost = 1, origin = "DecoderTests.opens", because = "…")""");
    }

    @Test
    void namesMemoryThatNoSourceAnnouncedAsThatOfADevice() {
        attachNetty();
        inThisOrder();
        tracker.allocated(at("loads", 50, AllocationDetails.user()), 0, DRAM, 0x1000, 1024, Ownership.UNKNOWN);
        tracker.checked();

        assertThat(text(verdict())).isEqualTo("""
                LEAK  1 KiB in 1 DRAM buffer, UNEXPLAINED; allocated in DecoderTests.java:50

                1. DRAM  1 KiB on device 0
                   at dev.example.DecoderTests.loads(DecoderTests.java:50)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (event #3)

                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(type = DRAM, device = 0, size = 1024, atMost = 1, origin = "DecoderTests.loads", because = "…")""");
    }

    @Test
    void suggestsAnEntryThatAdmitsNoBufferOfADevice() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        attachArenas();
        allocate("opens", 33, ARENAS, 1024);
        inThisOrder();
        tracker.allocated(
                at("opens", 33, AllocationDetails.user().onMesh(0)), 0, DRAM, 0x1000, 1024, Ownership.UNKNOWN);
        tracker.meshClosing(0);
        tracker.meshClosed(0);
        tracker.checked();

        LeakVerdict verdict = verdict();

        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        assertThat(verdict.groups()).hasSize(2);
        assertThat(verdict.groups().stream()
                        .filter(group -> group.type() == SYSTEM_MEMORY)
                        .flatMap(group -> snippets.narrowest(group).stream()))
                .isEmpty();
        assertThat(verdict.groups().stream()
                        .filter(group -> group.type() == BufferType.DRAM)
                        .flatMap(group -> snippets.narrowest(group).stream()))
                .hasSize(1);
    }

    @Test
    void hasTheSameTextAfterItWasSaved() throws IOException {
        attachNetty();
        attachArenas();
        allocate("keeps", 21, NETTY, 128);
        allocate("opens", 33, ARENAS, 4096);
        tracker.checked();
        StringWriter json = new StringWriter();
        HistoryJson.write(tracker.history(), json);

        AllocationHistory read = HistoryJson.read(new StringReader(json.toString()), "saved");

        assertThat(text(LeakCheck.create().examine(read))).isEqualTo(text(verdict()));
        assertThat(json.toString().lines())
                .allSatisfy(line ->
                        assertThat(JsonSchemas.ofHistoryLine().faultsOf(line)).isEmpty());
    }

    @Test
    void isWrittenWithTheVerdict() throws IOException {
        attachArenas();
        allocate("opens", 33, ARENAS, 4096);
        tracker.checked();
        StringWriter json = new StringWriter();

        VerdictJson.write(VerdictReport.of(verdict()), json);

        assertThat(JsonSchemas.ofVerdict().faultsOf(json.toString())).isEmpty();
        assertThat(json.toString())
                .contains("\"memory\" : \"native memory\"", "\"unit\" : \"arena\"")
                .doesNotContain("device 0");
    }
}
