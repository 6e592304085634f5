package dev.meshguard.report;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.SYSTEM_MEMORY;
import static dev.meshguard.event.HistoryEvent.NO_DEVICE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.JsonSchemas;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Texts about memory that belongs to no device, in the words of its source. */
class SourceVocabularyTextTests {

    private static final String ARENA = """
            source arenas, memory native memory, counted in arena, freed by close closed; phase TEST; \
            allocate SYSTEM_MEMORY 1 on none, size 4096, from arenas; checked""";

    @TestFactory
    Stream<DynamicTest> theText() {
        return ReportStory.each("""
            names a held buffer by its memory and its verb
                source netty, memory Netty memory, freed by release released; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 128, from netty; checked; handle held by DecoderTests.last

                LEAK  128 B of Netty memory in 1 buffer, HELD by DecoderTests.last; allocated in HistoryTests.java:3

                1. Netty memory  128 B
                …
                   fix   Release the buffer before the test ends.
                …
            names a lost arena
                source arenas, memory native memory, counted in arena, freed by close closed; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 4096, from arenas; checked; handle lost

                LEAK  4 KiB of native memory in 1 arena, LOST; allocated in HistoryTests.java:3
                …
                   why   LOST: no handle to it is reachable any more, and no close of it was reported (event #5)
                   fix   Close the arena before the test ends on every path: with try-with-resources, or in a finally block.
                …
            counts memory of unknown size in units
                source arenas, memory native memory, counted in arena, freed by close closed; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 0, from arenas; allocate SYSTEM_MEMORY 2 on none, same line, size 0, from arenas;
                checked

                LEAK  2 arenas of native memory were never closed; allocated in HistoryTests.java:3

                1. native memory  2 arenas
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the arena before the test ends.
                   seen  allocated in TEST (events #3 to #4)

                sum     2 allocated = 0 freed + 2 leaked
                expect  @ExpectBuffers(atMost = 2, origin = "HistoryTests.story", because = "…")
            counts objects by the name of their class
                source RocksIterator, objects RocksIterator; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 0, label RocksIterator, from RocksIterator;
                allocate SYSTEM_MEMORY 2 on none, same line, size 0, label RocksIterator, from RocksIterator;
                free SYSTEM_MEMORY 1 on none; checked; handle held by StoreTests.store -> Store.open -> ArrayList[3]

                LEAK  1 RocksIterator, HELD by Store.open; constructed in HistoryTests.java:3

                1. 1 RocksIterator
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   HELD: still referenced by StoreTests.store -> Store.open -> ArrayList[3] (event #7)
                   fix   Close the RocksIterator before the test ends.
                   seen  constructed in TEST (event #4)
                         1 of 2 RocksIterator from this line were closed, in TEST; this one was first passed over at event #5

                sum     2 constructed = 1 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "RocksIterator", origin = "HistoryTests.story", because = "…")
            counts objects in their words beside a source that allocated nothing
                source RocksIterator, objects RocksIterator; source netty, memory Netty memory; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 0, label RocksIterator, from RocksIterator; checked

                LEAK  1 RocksIterator was never closed; constructed in HistoryTests.java:4
                …
                sum     1 constructed = 0 closed + 1 leaked
                …
            counts the objects of each class
                source RocksIterator, objects RocksIterator; source Options, objects Options; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 0, label RocksIterator, from RocksIterator;
                allocate SYSTEM_MEMORY 2 on none, same line, size 0, label RocksIterator, from RocksIterator;
                allocate SYSTEM_MEMORY 3 on none, size 0, label Options, from Options; checked

                LEAK  2 RocksIterator and 1 Options, 2 findings; first RocksIterator UNEXPLAINED (HistoryTests.java:4)

                1. 2 RocksIterator
                   at dev.example.HistoryTests.story(HistoryTests.java:4)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the RocksIterator before the test ends.
                   seen  constructed in TEST (events #4 to #5)
                2. 1 Options
                   at dev.example.HistoryTests.story(HistoryTests.java:6)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Options before the test ends.
                   seen  constructed in TEST (event #6)

                sum     3 constructed = 0 closed + 3 leaked
                expect  one of them: @ExpectBuffers(atMost = 2, label = "RocksIterator", origin = "HistoryTests.story", because = "…")
            names no size of expected objects
                source RocksIterator, objects RocksIterator; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 0, label RocksIterator, from RocksIterator; checked
                expecting label RocksIterator count exactly 1 because "closed with the store"

                CLEAN  only expected memory remains: 1 RocksIterator
                Expected and present: 1 RocksIterator (label "RocksIterator", exactly 1 buffer, because "closed with the store" at meshguard-expected.txt:1)
                sum     1 constructed = 0 closed + 1 expected
            names an arena whose close failed
                source arenas, memory native memory, counted in arena, freed by close closed; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 4096, from arenas;
                ignore SYSTEM_MEMORY 1 on none, FAILED, label java.lang.IllegalStateException: in use; checked

                LEAK  4 KiB of native memory in 1 arena was never closed; allocated in HistoryTests.java:3
                …
                   fix   Correct the call that failed: the arena stays until a close succeeds.
                …
                         a call that should close it failed at event #4 with java.lang.IllegalStateException: in use, at
                …
                sum     1 allocated = 0 freed + 1 leaked
                …
            names a buffer that was released after the check
                source netty, memory Netty memory, freed by release released; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 128, from netty; checked; free SYSTEM_MEMORY 1 on none

                FREED_LATE  128 B of Netty memory in 1 buffer was released only after the check (HistoryTests.java:3)

                1. Netty memory  128 B
                   at dev.example.HistoryTests.story(HistoryTests.java:3)
                   why   LATE: released at event #5, after the check (event #4), at dev.example.HistoryTests.story(HistoryTests.java:5)
                   fix   Wait for the thread that has to release it before the check, or release it in the test itself.
                   seen  allocated in TEST (event #3)

                sum     1 allocated = 0 freed + 1 freed late
                expect  @ExpectBuffers(size = 128, atMost = 1, origin = "HistoryTests.story", because = "…")
            names a buffer that was released twice
                source netty, memory Netty memory, freed by release released; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 128, from netty; free SYSTEM_MEMORY 1 on none; free SYSTEM_MEMORY 1 on none;
                checked

                MISREPORTED  no memory leaked; 1 release of nothing

                1. double release: Netty memory (event #5)
                   at dev.example.HistoryTests.story(HistoryTests.java:5)
                   why   it, 128 B, was released before, at event #4
                   freed before at dev.example.HistoryTests.story(HistoryTests.java:4)
                   seen  allocated at dev.example.HistoryTests.story(HistoryTests.java:3)

                sum     1 allocated = 1 freed
            names no other source of a buffer that was freed twice
                source netty, memory Netty memory, freed by release released; source handles;
                allocate SYSTEM_MEMORY 1 on none, from handles; free SYSTEM_MEMORY 1 on none; free SYSTEM_MEMORY 1 on none;
                checked

                MISREPORTED  no memory leaked; 1 free of nothing

                1. double free: SYSTEM_MEMORY (event #5)
                …
            names each buffer in the words of its own source
                mesh 0 over 0; source arenas, memory native memory, counted in arena, freed by close closed; phase TEST;
                allocate SYSTEM_MEMORY 1 on none, size 4096, from arenas; allocate DRAM 0x1000 on 0, mesh 0; close

                LEAK  4.06 KiB in 2 allocations, 2 findings; largest 4 KiB UNEXPLAINED (HistoryTests.java:4)

                1. native memory  4 KiB
                   at dev.example.HistoryTests.story(HistoryTests.java:4)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the arena before the test ends.
                   seen  allocated in TEST (event #5)
                2. DRAM  64 B on device 0
                   at dev.example.HistoryTests.story(HistoryTests.java:5)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before close_mesh_device.
                   seen  allocated in TEST (event #6)

                sum     2 allocated = 0 freed + 2 leaked
                expect  one of them: @ExpectBuffers(size = 4096, atMost = 1, origin = "HistoryTests.story", because = "…")
            """);
    }

    /** Closing the store closes its options. */
    @Test
    void namesThePartsOfAnObjectWithIt() {
        StackTraceElement opens = new StackTraceElement("dev.example.DecoderTests", "opens", "DecoderTests.java", 20);
        StackTraceElement store = new StackTraceElement("dev.example.Store", "<init>", "Store.java", 7);
        AllocationTracker tracker = AllocationTracker.create();
        for (String type : List.of("Options", "Store")) {
            tracker.sourceAttached(
                    SourceDescription.of("dev.example." + type).speaking(SourceVocabulary.ofObjects(type)));
        }
        construct(tracker, "Options", store, opens);
        construct(tracker, "Store", opens);
        construct(tracker, "Options", opens);

        assertThat(VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                        .text())
                .isEqualTo("""
                LEAK  1 Store and 2 Options, 2 findings; first Store UNEXPLAINED (DecoderTests.java:20)

                1. 1 Store, and 1 Options with it
                   at dev.example.DecoderTests.opens(DecoderTests.java:20)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Store before the test ends.
                   seen  constructed in START (event #4)
                2. 1 Options
                   at dev.example.DecoderTests.opens(DecoderTests.java:20)
                   why   UNEXPLAINED: no close was reported
                   fix   Close the Options before the test ends.
                   seen  constructed in START (event #5)

                sum     3 constructed = 0 closed + 3 leaked
                expect  one of them: @ExpectBuffers(atMost = 1, label = "Store", origin = "DecoderTests.opens", because = "…")""");
    }

    private static void construct(AllocationTracker tracker, String type, StackTraceElement... stack) {
        AllocationDetails details = AllocationDetails.user().labelled(type).fromSource("dev.example." + type);
        MemoryRequest request = MemoryRequest.restored(details, Optional.of(Origin.of(stack)));
        tracker.allocated(request, NO_DEVICE, SYSTEM_MEMORY, tracker.liveBuffers() + 1, 0, Ownership.UNKNOWN);
    }

    @Test
    void suggestsAnEntryThatAdmitsNoBufferOfADevice() {
        LeakVerdict verdict = ReportStory.report("mesh 0 over 0; " + ARENA.replace("checked", """
                allocate DRAM 0x1000 on 0, same line, size 4096, mesh 0; close"""))
                .verdict();

        ExpectationSnippets snippets = ExpectationSnippets.of(verdict);
        assertThat(verdict.groups().stream()
                        .filter(group -> snippets.narrowest(group).isPresent())
                        .map(SurvivorGroup::type))
                .containsExactly(DRAM);
        assertThat(verdict.groups()).hasSize(2);
    }

    @Test
    void hasTheSameTextAfterItWasSaved() throws IOException {
        VerdictReport report = ReportStory.report(
                "source netty, memory Netty memory, freed by release released; allocate SYSTEM_MEMORY 7 on none, from netty; "
                        + ARENA);
        StringWriter json = new StringWriter();
        HistoryJson.write(report.verdict().history(), json);

        AllocationHistory read = HistoryJson.read(new StringReader(json.toString()), "saved");

        assertThat(VerdictReport.of(LeakCheck.create().examine(read)).text()).isEqualTo(report.text());
        assertThat(json.toString().lines())
                .allSatisfy(line ->
                        assertThat(JsonSchemas.ofHistoryLine().faultsOf(line)).isEmpty());
    }

    @Test
    void isWrittenWithTheVerdict() throws IOException {
        StringWriter json = new StringWriter();

        VerdictJson.write(ReportStory.report(ARENA), json);

        assertThat(JsonSchemas.ofVerdict().faultsOf(json.toString())).isEmpty();
        assertThat(json.toString())
                .contains("\"memory\" : \"native memory\"", "\"unit\" : \"arena\"")
                .doesNotContain("device 0");
    }
}
