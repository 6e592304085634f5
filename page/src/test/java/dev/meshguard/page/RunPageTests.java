package dev.meshguard.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.PhaseUsage;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The data of a page matches the verdict, and includes the amount of omitted data. */
class RunPageTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchema SCHEMA = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Objects.requireNonNull(RunPageTests.class.getResourceAsStream("page-data.schema.json")));

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.NONE)
            .clock(() -> Instant.parse("2026-11-20T12:00:00Z"))
            .build();

    @Test
    void aFullDiskIsAFailureToWriteAndNotOfThePage() {
        RunPage page = RunPage.of("t", VerdictReport.of(LeakCheck.create().examine(tracker.history())));
        Writer full = new FilterWriter(Writer.nullWriter()) {
            @Override
            public void write(String text, int from, int length) throws IOException {
                throw new IOException("No space left on device");
            }
        };

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> page.write(full))
                .withMessage("No space left on device");
    }

    @Test
    void theWholeOfASmallRunIsThere() throws IOException {
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.phase(Phase.TEST);
        MemoryRequest cache = atLine(41, AllocationDetails.user().labelled("kv-cache"));
        tracker.allocated(cache, 0, BufferType.DRAM, 4096, 1024, Ownership.OWNING);
        tracker.allocated(cache, 1, BufferType.DRAM, 4096, 1024, Ownership.OWNING);
        tracker.freed(tracker.release(AllocationDetails.user()), 1, BufferType.DRAM, 4096, Ownership.OWNING);
        tracker.phase(Phase.CLOSE);
        tracker.meshClosed(0);
        tracker.checked();

        assertThat(read(page()).toPrettyString()).isEqualTo(text("small-run.json"));
    }

    @Test
    void aClockThatJumpsByThousandsOfYearsIsNoObstacle() throws IOException {
        Iterator<String> clock =
                List.of("0001-01-01T00:00:00Z", "+500000-01-01T00:00:00Z").iterator();
        AllocationTracker jumping = AllocationTracker.builder()
                .clock(() -> Instant.parse(clock.next()))
                .build();
        jumping.phase(Phase.TEST);
        jumping.phase(Phase.CLOSE);

        JsonNode data = read(RunPage.of("t", VerdictReport.of(LeakCheck.create().examine(jumping.history()))));

        assertThat(data.at("/times/micros").get(1).longValue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void isAsItsSchemaSaysWhateverWasJudged() {
        forRandomHistories((verdict, seed) -> {
            String data = RunPage.of("random", VerdictReport.of(verdict)).data();

            assertThat(SCHEMA.validate(data, InputFormat.JSON)).as(seed).isEmpty();
        });
    }

    @Test
    void theFiguresAreThoseOfTheVerdictWhateverWasJudged() {
        forRandomHistories((verdict, seed) -> {
            JsonNode data = read(RunPage.of("random", VerdictReport.of(verdict)));

            assertThat(data.at("/sum/leaked").longValue())
                    .as(seed)
                    .isEqualTo(verdict.sum().leaked());
            for (SurvivorStatus status : SurvivorStatus.values()) {
                assertThat(countOf(data, status)).as(seed + status).isEqualTo(survivors(verdict, status));
                assertThat(rectanglesOf(data, status)).as(seed + status).isEqualTo(survivors(verdict, status));
            }
            assertThat(data.at("/text").textValue())
                    .as(seed)
                    .isEqualTo(VerdictReport.of(verdict).text());
            assertThat(data.at("/rectangles/lane").size())
                    .as(seed)
                    .isEqualTo(verdict.history().generations().size());
            for (BufferType type : BufferType.values()) {
                assertThat(endOf(data, type)).as(seed + type).isEqualTo(RandomHistory.liveBytes(verdict, type));
                assertThat(matrixOf(data, type)).as(seed + type).isEqualTo(RandomHistory.liveBytes(verdict, type));
            }
            assertThat(sum(data.at("/phases"), "peakBytes"))
                    .as(seed)
                    .isEqualTo(verdict.phaseUsages().stream()
                            .mapToLong(PhaseUsage::peakBytes)
                            .sum());
        });
    }

    @Test
    void whatLeaksIsDrawnHoweverManyBuffersCameAndWent() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        for (int round = 0; round < 120_000; round++) {
            tracker.allocated(0, BufferType.DRAM, 1 << 20, round % 1000 + 2);
            if (round % 2_000 == 0) {
                tracker.allocated(0, BufferType.L1, 64L * round, 1);
            }
            tracker.freed(0, BufferType.DRAM, 1 << 20);
        }
        tracker.meshClosed(0);
        tracker.checked();

        JsonNode data = read(page());

        assertThat(data.at("/aggregated/rectangles")).hasToString("{\"shown\":100000,\"of\":120060}");
        assertThat(data.at("/aggregated/events")).hasToString("{\"shown\":50000,\"of\":240063}");
        assertThat(data.at("/aggregated/series/of").longValue()).isEqualTo(240_060);
        assertThat(data.at("/rectangles/lane").size()).isEqualTo(100_000);
        assertThat(data.at("/events/number").size()).isEqualTo(50_000);
        assertThat(rectanglesOf(data, SurvivorStatus.LEAKED)).isEqualTo(60);
        assertThat(data.at("/series/0/peak/bytes").longValue()).isEqualTo(1_001);
        assertThat(longs(data.at("/series/0/bytes")))
                .hasSizeLessThanOrEqualTo(4_000)
                .contains(1_001L);
        assertThat(data.at("/series/0/bytes").size()
                        + data.at("/series/1/bytes").size())
                .isEqualTo(data.at("/aggregated/series/shown").intValue());
        assertThat(longs(data.at("/groups/0/buffers"))).hasSize(60);
    }

    @Test
    void aShortPhaseKeepsItsStepsBesideALongOne() {
        tracker.phase(Phase.SETUP);
        for (int weight = 0; weight < 150; weight++) {
            tracker.allocated(0, BufferType.DRAM, weight * 64L, 64);
        }
        tracker.phase(Phase.TEST);
        for (int round = 0; round < 20_000; round++) {
            tracker.allocated(0, BufferType.DRAM, 1 << 20, round + 1);
            tracker.freed(0, BufferType.DRAM, 1 << 20);
        }

        JsonNode series = read(page()).at("/series/0");

        List<Long> bytes = longs(series.at("/bytes"));
        assertThat(bytes.subList(0, 150)).startsWith(64L, 128L, 192L).endsWith(150 * 64L);
        assertThat(bytes).hasSizeLessThanOrEqualTo(4_000).contains(150 * 64L + 20_000);
    }

    @Test
    void saysWhichBuffersMostDevicesHaveNot() {
        tracker.meshOpened(MeshDescription.of(0, "1x4 mesh", List.of(0, 1, 2, 3)));
        for (int device = 0; device < 4; device++) {
            tracker.allocated(device, BufferType.DRAM, 64, 32);
        }
        tracker.allocated(3, BufferType.DRAM, 128, 32);
        for (int device = 0; device < 4; device++) {
            tracker.freed(device, BufferType.DRAM, 64);
        }
        tracker.meshClosed(0);

        JsonNode data = read(page());

        assertThat(longs(data.at("/rectangles/unlikeMost"))).containsExactly(0L, 0L, 0L, 0L, 1L);
        assertThat(data.at("/matrix/3"))
                .hasToString("{\"device\":3,\"type\":\"DRAM\",\"liveBytes\":32,\"peakBytes\":64,\"difference\":32,"
                        + "\"peakDifference\":32}");
        assertThat(data.at("/mesh/devices/3/mark").textValue()).isEqualTo("leaked");
        assertThat(data.at("/mesh/devices/2/mark").textValue()).isEqualTo("clean");
    }

    @Test
    void theMeshHasTheShapeItsNameSays() {
        tracker.meshOpened(MeshDescription.of(0, "2x2 mesh (Wormhole B0)", List.of(4, 5, 6, 7)));

        JsonNode mesh = read(page()).at("/mesh");

        assertThat(mesh.at("/rows").intValue()).isEqualTo(2);
        assertThat(mesh.at("/columns").intValue()).isEqualTo(2);
        assertThat(mesh.at("/devices/2"))
                .hasToString("{\"id\":6,\"row\":1,\"column\":0,\"mark\":\"clean\","
                        + "\"leakedBuffers\":0,\"leakedBytes\":0}");
    }

    @Test
    void aPageOfRoundsShowsWhatEachLeftAndWhereThatLeads() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.rounds(
                4,
                round -> tracker.allocated(
                        atLine(41, AllocationDetails.user().labelled("kv-cache")),
                        0,
                        BufferType.DRAM,
                        round * 4096L,
                        1000,
                        Ownership.OWNING));
        tracker.meshClosed(0);

        JsonNode growth = read(page()).at("/growth");

        assertThat(growth.at("/rounds").intValue()).isEqualTo(4);
        assertThat(growth.at("/trend").textValue()).isEqualTo("GROWING");
        assertThat(growth.at("/text/0").textValue())
                .isEqualTo(
                        "GROWING  4 rounds, the first for warming up · memory grows: DRAM of device 0 by 1000 B per round");
        assertThat(growth.at("/memories"))
                .hasToString("[{\"name\":\"DRAM of device 0\",\"devices\":1,"
                        + "\"amounts\":[1000,2000,3000,4000],\"perRound\":1000,\"trend\":\"GROWING\"}]");
        assertThat(growth.at("/sites/0/amounts")).hasToString("[1000,2000,3000,4000]");
        assertThat(growth.at("/sites/0/perRound").longValue()).isEqualTo(1000);
    }

    @Test
    void objectsOfEachRoundAreCountedInTheirUnit() {
        tracker.sourceAttached(SourceDescription.of("objects").speaking(SourceVocabulary.ofObjects("RocksIterator")));
        AllocationDetails ofObjects = AllocationDetails.user().fromSource("objects");
        tracker.rounds(3, round -> tracker.lease(ofObjects, OriginFilter.none(), BufferType.SYSTEM_MEMORY, 0));

        JsonNode growth = read(page()).at("/growth");

        String line = "{\"name\":\"RocksIterator\",\"units\":[\"RocksIterator\",\"RocksIterator\"],"
                + "\"devices\":1,\"amounts\":[1,2,3],\"perRound\":1,\"trend\":\"GROWING\"}";
        assertThat(growth.at("/memories")).hasToString("[" + line + "]");
        assertThat(growth.at("/sites")).hasToString("[" + line + "]");
    }

    @Test
    void aPageOffersOnlyTheEntriesThatCanExpectItsMemory() {
        tracker.allocated(0, BufferType.DRAM, 4096, 1024);
        tracker.checked();
        VerdictReport report = VerdictReport.of(verdict());
        MemoryShortage shortage = MemoryShortage.anywhere(BufferType.DRAM, 512, 0, 1_024, List.of());

        assertThat(entryIn(report).fieldNames()).toIterable().containsExactly("annotation", "line");
        assertThat(entryIn(report.ofNoTest()).fieldNames()).toIterable().containsExactly("line");
        assertThat(entryIn(report.failedBy(shortage)).isMissingNode()).isTrue();
    }

    private static JsonNode entryIn(VerdictReport report) {
        return read(RunPage.of("run", report)).at("/groups/0/entry");
    }

    @Test
    void aPageWithoutRoundsHasNoGrowth() {
        assertThat(read(page()).has("growth")).isFalse();
    }

    @Test
    void aPageWithBudgetsShowsTheirLines() {
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.allocated(0, BufferType.DRAM, 64, 3000);
        tracker.allocated(1, BufferType.DRAM, 64, 1000);
        tracker.meshClosed(0);
        LeakVerdict verdict = verdict();
        BudgetSpec budget = BudgetSpec.of(BufferType.DRAM).peakBytes(2000);

        JsonNode data = read(RunPage.of("KvCacheTest.decode()", VerdictReport.of(verdict))
                .withBudgets(BudgetVerdict.of(verdict, List.of(budget), List.of())));

        assertThat(data.at("/series/0/budget").longValue()).isEqualTo(4000);
        assertThat(data.at("/matrix/0/budget").longValue()).isEqualTo(2000);
        assertThat(data.at("/budgets/kept").booleanValue()).isFalse();
        assertThat(data.at("/budgets/limits"))
                .hasToString("[{\"text\":\"DRAM of each device: peak at most 1.95 KiB (2000 B)\",\"type\":\"DRAM\","
                        + "\"peakBytes\":2000,\"met\":false}]");
        assertThat(data.at("/budgets/text/0").textValue()).isEqualTo("OVER BUDGET  1 limit of 1 budget not met");
    }

    @Test
    void saysOfEachLeakWhetherItIsNew() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.allocated(atLine(41, AllocationDetails.user()), 0, BufferType.DRAM, 64, 32, Ownership.OWNING);
        tracker.meshClosed(0);
        Baseline before = Baseline.of(verdict());
        tracker.meshOpened(MeshDescription.of(1, "1x1 mesh", List.of(0)));
        tracker.allocated(atLine(42, AllocationDetails.user()), 0, BufferType.L1, 64, 32, Ownership.OWNING);
        tracker.meshClosed(1);

        assertThat(baselineOf(VerdictReport.of(verdict(), before))).containsExactlyInAnyOrder("known", "new");
        assertThat(baselineOf(VerdictReport.of(verdict()))).containsOnly("none");
    }

    private static List<String> baselineOf(VerdictReport report) {
        return read(RunPage.of("KvCacheTest.decode()", report)).at("/groups").findValuesAsText("baseline");
    }

    @Test
    void namesTheLinesOfCallsAndWhoHoldsABuffer() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        MemoryRequest cache = atLine(41, AllocationDetails.user().labelled("see Weights.java:12"));
        tracker.allocated(cache, 0, BufferType.DRAM, 4096, 1024, Ownership.OWNING);
        tracker.freed(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(origin(99))),
                0,
                BufferType.DRAM,
                8192,
                Ownership.OWNING);
        tracker.meshClosed(0);
        tracker.checked();
        tracker.traced(cache, Reachability.heldBy(List.of("KvCacheTest.cache", "ArrayList[0]")));

        String data = page().data();

        assertThat(data)
                .contains(
                        "KvCacheTest.java:41",
                        "KvCacheTest.java:99",
                        "Weights.java:12",
                        "still referenced by KvCacheTest.cache -\\u003E ArrayList[0]",
                        "\"title\":\"KvCacheTest.decode()\"");
        assertThat(SCHEMA.validate(data, InputFormat.JSON)).isEmpty();
    }

    @Test
    void theLargestFindingIsTheOneThatTheFirstLineNames() {
        Owner program = new Owner(Owner.Kind.PROGRAM, "7");
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.phase(Phase.TEST);
        tracker.allocated(atLine(41, AllocationDetails.user()), 0, BufferType.DRAM, 4096, 2048, Ownership.OWNING);
        tracker.allocated(
                atLine(7, AllocationDetails.user().ownedBy(program)), 0, BufferType.DRAM, 8192, 3072, Ownership.OWNING);
        tracker.allocated(
                atLine(7, AllocationDetails.circularBuffer(program)), 0, BufferType.L1, 4096, 4096, Ownership.OWNING);
        tracker.ownerCached(program, "program cache");
        tracker.meshClosed(0);
        tracker.checked();

        JsonNode data = read(page());

        assertThat(data.at("/headline").textValue()).contains("2 findings; largest 7 KiB CACHED");
        JsonNode largest = data.at("/largest");
        assertThat(data.at("/groups")
                        .get(largest.get("group").intValue())
                        .get("cause")
                        .textValue())
                .isEqualTo("CACHED");
        assertThat(longs(largest)).containsExactly(largest.get("group").longValue(), 2L, 7168L, 2L);
    }

    @Test
    void aFindingWithAnotherStatusIsNotCountedBesideTheLargest() {
        forRandomHistories((verdict, seed) -> {
            JsonNode data = read(RunPage.of("random", VerdictReport.of(verdict)));

            SurvivorStatus worst = List.of(
                            SurvivorStatus.LEAKED,
                            SurvivorStatus.FREED_LATE,
                            SurvivorStatus.MISREPORTED,
                            SurvivorStatus.UNDECIDED)
                    .stream()
                    .filter(status -> !verdict.groups(status).isEmpty())
                    .findFirst()
                    .orElse(SurvivorStatus.EXPECTED);
            assertThat(data.at("/largest/of").intValue())
                    .as(seed)
                    .isEqualTo(
                            worst == SurvivorStatus.EXPECTED
                                    ? 0
                                    : VerdictReport.of(verdict).survivors(worst).size());
        });
    }

    private MemoryRequest atLine(int line, AllocationDetails details) {
        return MemoryRequest.restored(details, Optional.of(origin(line)));
    }

    private static Origin origin(int line) {
        return Origin.of(new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", line));
    }

    private RunPage page() {
        return RunPage.of("KvCacheTest.decode()", VerdictReport.of(verdict()));
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }

    private static void forRandomHistories(BiConsumer<LeakVerdict, String> check) {
        long seed = Long.getLong("meshguard.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int run = 0; run < 60; run++) {
            AllocationHistory history = RandomHistory.of(random, 150);
            check.accept(LeakCheck.create().examine(history), "repeat with -Dmeshguard.seed=" + seed + " ");
        }
    }

    private static JsonNode read(RunPage page) {
        try {
            return JSON.readTree(page.data());
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    private static String text(String name) throws IOException {
        try (InputStream stream = Objects.requireNonNull(RunPageTests.class.getResourceAsStream(name), name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static long survivors(LeakVerdict verdict, SurvivorStatus status) {
        return verdict.survivors(survivor -> survivor.status() == status).size();
    }

    private static long countOf(JsonNode data, SurvivorStatus status) {
        return StreamSupport.stream(data.at("/groups").spliterator(), false)
                .filter(group -> group.at("/status").textValue().equals(status.name()))
                .mapToLong(group -> group.at("/count").longValue())
                .sum();
    }

    private static long rectanglesOf(JsonNode data, SurvivorStatus status) {
        long mark = switch (status) {
            case LEAKED -> 1;
            case MISREPORTED -> 2;
            case EXPECTED -> 3;
            case UNDECIDED -> 4;
            case FREED_LATE -> 5;
        };
        return longs(data.at("/rectangles/mark")).stream()
                .filter(value -> value == mark)
                .count();
    }

    private static long endOf(JsonNode data, BufferType type) {
        return StreamSupport.stream(data.at("/series").spliterator(), false)
                .filter(series -> series.at("/type").textValue().equals(type.name()))
                .map(series -> longs(series.at("/bytes")))
                .mapToLong(bytes -> bytes.get(bytes.size() - 1))
                .sum();
    }

    private static long matrixOf(JsonNode data, BufferType type) {
        return StreamSupport.stream(data.at("/matrix").spliterator(), false)
                .filter(cell -> cell.at("/type").textValue().equals(type.name()))
                .mapToLong(cell -> cell.at("/liveBytes").longValue())
                .sum();
    }

    private static long sum(JsonNode list, String field) {
        return StreamSupport.stream(list.spliterator(), false)
                .mapToLong(element -> element.at("/" + field).longValue())
                .sum();
    }

    private static List<Long> longs(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::longValue)
                .toList();
    }
}
