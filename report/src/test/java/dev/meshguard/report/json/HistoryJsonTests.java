package dev.meshguard.report.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryJsonTests {

    private static final int RUNS = 40;

    @Test
    void keepsTheCapacitiesOfAMesh() {
        var tracker = AllocationTracker.create();
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1))
                .withCapacities(List.of(
                        new MemoryCapacity(BufferType.DRAM, 12, 1 << 20).startingAt(4096),
                        new MemoryCapacity(BufferType.L1, 64, 1 << 19))));

        String written = written(tracker.history());

        assertThat(written).contains("""
                "devices":[0,1],"capacities":[{"type":"DRAM","banks":12,"bytesPerBank":1048576,"base":4096},{"type":"L1","banks":64,"bytesPerBank":524288}]}
                """);
        assertThat(read(written).meshes())
                .containsExactlyElementsOf(tracker.history().meshes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"en-US", "tr-TR", "ar-EG-u-nu-arab", "hi-IN-u-nu-deva"})
    void givesTheSameVerdictWhereverItIsReadAndWritesTheSameAgain(String there) {
        long seed = seed();
        Random random = new Random(seed);
        Locale here = Locale.getDefault();
        for (int run = 0; run < RUNS; run++) {
            AllocationHistory history = RandomHistory.of(random, 200);
            String written = written(history);
            String text = text(history);
            String verdict = verdict(history);
            try {
                Locale.setDefault(Locale.forLanguageTag(there));
                AllocationHistory read = read(written);

                assertThat(written(read)).as(() -> repeat(seed)).isEqualTo(written);
                assertThat(read.events()).as(() -> repeat(seed)).hasSameSizeAs(history.events());
                assertThat(text(read)).as(() -> repeat(seed)).isEqualTo(text);
                assertThat(verdict(read)).as(() -> repeat(seed)).isEqualTo(verdict);
            } finally {
                Locale.setDefault(here);
            }
        }
    }

    @Test
    void everyLineIsAsItsSchemaSaysAndEveryKindOfEventIsAmongThem() {
        long seed = seed();
        Random random = new Random(seed);
        JsonSchemas schema = JsonSchemas.ofHistoryLine();
        Set<Class<?>> kinds = new HashSet<>();
        for (int run = 0; run < RUNS; run++) {
            AllocationHistory history = RandomHistory.of(random, 200);
            history.events().forEach(event -> kinds.add(event.getClass()));

            assertThat(written(history).lines())
                    .allSatisfy(line -> assertThat(schema.faultsOf(line))
                            .as(() -> line + " " + repeat(seed))
                            .isEmpty());
        }

        assertThat(kinds)
                .as(() -> repeat(seed))
                .containsExactlyInAnyOrderElementsOf(Arrays.asList(HistoryEvent.class.getPermittedSubclasses()));
    }

    @Test
    void keepsRequestsDistinctAndUnknownOnesAsOne() {
        var tracker = AllocationTracker.create();
        var first = MemoryRequest.restored(AllocationDetails.user(), Optional.empty());
        var second = MemoryRequest.restored(AllocationDetails.user(), Optional.empty());
        var unknown = MemoryRequest.of(AllocationDetails.user());
        for (var request : List.of(first, second, first, unknown)) {
            tracker.allocated(request, 0, BufferType.L1, 64, 64, Ownership.UNKNOWN);
        }

        List<MemoryRequest> read = read(written(tracker.history())).live().get(0).reports().stream()
                .map(BufferGeneration.Report::request)
                .toList();

        assertThat(read.get(0)).isNotSameAs(read.get(1)).isSameAs(read.get(2));
        assertThat(read.get(3)).isSameAs(unknown);
        assertThat(read.subList(0, 3)).noneMatch(MemoryRequest::isAnonymous);
    }

    @Test
    void isUtf8InAFileWhateverTheDefaultIs(@TempDir Path folder) throws IOException {
        var tracker = AllocationTracker.create();
        tracker.sourceAttached("Gözleme 🚀 \uD800");
        tracker.sourceAttached(
                SourceDescription.of("mocks").covering("one thread").inferringFrees());
        Path file = folder.resolve("history.jsonl");

        HistoryJson.write(tracker.history(), file);

        assertThat(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                        .lines()
                        .skip(1)
                        .findFirst())
                .contains("{\"kind\":\"sourceAttached\",\"number\":1,\"source\":\"Gözleme \\ud83d\\ude80 \\ud800\"}");
        assertThat(HistoryJson.read(file).events()).isEqualTo(tracker.history().events());
    }

    @Test
    void keepsThePartOfATestOnASharedMeshWithItsVerdict() {
        AllocationHistory part = HistoryScript.scriptOf("""
                mesh 0 without 0; allocate DRAM 64 on 0; for decode; allocate DRAM 128 on 0; checked
                """).partOf("decode");

        AllocationHistory read = read(written(part));

        assertThat(read.events()).map(HistoryEvent::number).containsExactly(1L, 3L, 4L);
        assertThat(text(read)).contains("checked at the end of decode").isEqualTo(text(part));
        assertThat(verdict(read)).contains("LEAKED").isEqualTo(verdict(part));
        assertThat(written(read)).isEqualTo(written(part));
        assertThat(written(part).lines())
                .allSatisfy(line ->
                        assertThat(JsonSchemas.ofHistoryLine().faultsOf(line)).isEmpty());
    }

    @Test
    void aReadPartHasTheMemoryOfOthersAsEvidenceOnly() {
        AllocationHistory part = HistoryScript.scriptOf("""
                mesh 0 without 0; for decode; allocate DRAM 128 on 0, owning, mesh 0, allocator MESH; for all;
                allocate DRAM 128 on 0, owning, mesh 0, allocator MESH
                """).partOf("decode");

        AllocationHistory read = read(written(part));

        assertThat(part.live()).map(BufferGeneration::allocatedAt).containsExactly(2L);
        assertThat(verdict(read)).contains("MISREPORTED").isEqualTo(verdict(part));
        assertThat(written(read)).isEqualTo(written(part));
        assertThat(written(part).lines())
                .allSatisfy(line ->
                        assertThat(JsonSchemas.ofHistoryLine().faultsOf(line)).isEmpty());
    }

    @Test
    void namesOverwrittenBuffersInTheOrderOfTheirAllocation() {
        String inputs = IntStream.rangeClosed(1, 8)
                .mapToObj(input -> "allocate DRAM 0x%1$d000 on 0; trace 0 reads 0x%1$d000; ".formatted(input))
                .collect(Collectors.joining());
        AllocationHistory history = HistoryScript.historyOf("mesh 0 without 0; trace 0 begins; " + inputs
                + "trace 0 ends; " + inputs.replace("allocate", "free").replaceAll("trace 0 reads 0x.000; ", "")
                + "trace 0 replays");

        assertThat(LeakCheck.create().examine(read(written(history))).overwrites())
                .extracting(overwrite -> overwrite.buffer().address() / 4096)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    @Test
    void keepsAHistoryAsOfACheckWithWhatWasFoundLater() {
        var tracker = AllocationTracker.create();
        var request = MemoryRequest.restored(AllocationDetails.user(), Optional.empty());
        tracker.allocated(request, 0, BufferType.DRAM, 64, 64, Ownership.OWNING);
        tracker.checked();
        tracker.allocated(0, BufferType.DRAM, 128, 64);
        tracker.traced(request, Reachability.lost());
        AllocationHistory asOfCheck = tracker.history().asOfCheck();

        assertThat(asOfCheck.events()).map(HistoryEvent::number).containsExactly(1L, 2L, 4L);
        assertThat(text(read(written(asOfCheck)))).isEqualTo(text(asOfCheck));
        assertThat(read(written(asOfCheck)).lostReports()).isEmpty();
    }

    @Test
    void readsWhatAnEditorOfAnotherSystemMadeOfIt() {
        var tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, 64, 64);
        String written = written(tracker.history());

        AllocationHistory read = read("\uFEFF" + written.replace("\n", "\r\n\r\n"));

        assertThat(written(read)).isEqualTo(written);
    }

    @Test
    void takesFieldsInAnyOrderAndPassesOverThoseOfALaterMinorVersion() {
        AllocationHistory read = read("""
                {"flatAddresses":false,"version":2,"minor":7,"colour":"red","format":"meshguard-history","kind":"header"}
                {"number":1,"device":4,"colour":{"deep":[1,[2.5,null]]},"kind":"deviceOpened"}
                {"ledgerEntries":0,"kind":"end","events":1}
                """);

        assertThat(read.events()).containsExactly(new HistoryEvent.DeviceOpened(1, 4));
        assertThat(read.hasFlatAddresses()).isFalse();
    }

    @Test
    void anEmptyHistoryIsAHistory() {
        assertThat(text(read(written(AllocationTracker.create().history()))))
                .isEqualTo(text(AllocationTracker.create().history()));
    }

    @Test
    void leavesReaderAndWriterOpenForTheirOwner() throws IOException {
        List<String> closed = new ArrayList<>();
        var history = AllocationTracker.create().history();

        HistoryJson.write(history, new StringWriter() {
            @Override
            public void close() {
                closed.add("writer");
            }
        });
        HistoryJson.read(
                new StringReader(written(history)) {
                    @Override
                    public void close() {
                        closed.add("reader");
                    }
                },
                "a history");

        assertThat(closed).isEmpty();
    }

    private static long seed() {
        return Long.getLong("meshguard.seed", new Random().nextLong());
    }

    private static String repeat(long seed) {
        return "repeat with -Dmeshguard.seed=" + seed;
    }

    private static String text(AllocationHistory history) {
        return VerdictReport.of(LeakCheck.create().examine(history)).text();
    }

    private static String verdict(AllocationHistory history) {
        return VerdictJson.text(VerdictReport.of(LeakCheck.create().examine(history)));
    }

    private static String written(AllocationHistory history) {
        StringWriter text = new StringWriter();
        try {
            HistoryJson.write(history, text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return text.toString();
    }

    private static AllocationHistory read(String text) {
        try {
            return HistoryJson.read(new StringReader(text), "history.jsonl");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
