package dev.meshguard.report.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;

/** Exports have the formats of their readers, and the numbers of the verdict. */
class ExportTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The pattern of Brendan Gregg's flamegraph.pl for a line: frames, a blank, a number. */
    private static final Pattern COLLAPSED = Pattern.compile("[^;\\n]+(?:;[^;\\n]+)* (\\d+)");

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    /** Writes a verdict. */
    private interface Exporting {
        void write(LeakVerdict verdict, Writer writer) throws IOException;
    }

    /** Examines the written text. */
    private interface Looking {
        void at(LeakVerdict verdict, String text, String seed) throws IOException;
    }

    @Test
    void collapsedStacksAreFramesFromTheOutermostAndTheLeakedBytes() throws IOException {
        leak();

        assertThat(text(verdict(), CollapsedStacks::write)).isEqualTo("""
                dev.example.KvCacheTest.decode;dev.example.KvCache.append 2048
                no origin captured;DRAM;a:b, "c" 64
                """);
    }

    @Test
    void collapsedStacksAddUpToWhatLeakedWhateverWasJudged() throws IOException {
        forRandomHistories(CollapsedStacks::write, (verdict, text, seed) -> {
            long sum = 0;
            for (String line : text.lines().toList()) {
                Matcher stack = COLLAPSED.matcher(line);
                assertThat(stack.matches()).as(seed + line).isTrue();
                sum += Long.parseLong(stack.group(1));
            }
            assertThat(sum).as(seed).isEqualTo(leakedBytes(verdict));
        });
    }

    @Test
    void theTraceIsWhatPerfettoReadsWhateverWasJudged() throws IOException {
        forRandomHistories(PerfettoTrace::write, (verdict, text, seed) -> {
            Map<String, Long> open = new HashMap<>();
            Map<String, Long> live = new HashMap<>();
            Set<String> ids = new HashSet<>();
            long left = 0;
            for (JsonNode event : JSON.readTree(text).at("/traceEvents")) {
                assertThat(event.at("/name").isTextual()).as(seed).isTrue();
                assertThat(event.at("/ts").isIntegralNumber()).as(seed).isTrue();
                assertThat(event.at("/pid").isIntegralNumber()).as(seed).isTrue();
                assertThat(event.at("/tid").isIntegralNumber()).as(seed).isTrue();
                String kind = event.at("/ph").textValue();
                assertThat(kind).as(seed).isIn("M", "i", "C", "b", "e");
                String id = event.at("/cat").asText() + event.at("/id").asText();
                switch (kind) {
                    case "b" -> {
                        assertThat(ids.add(id)).as(seed + id).isTrue();
                        open.put(id, event.at("/ts").longValue());
                        left += event.at("/args/status").textValue().equals("freed") ? 0 : 1;
                    }
                    case "e" -> {
                        Long begun = open.remove(id);
                        assertThat(begun).as(seed + id).isNotNull();
                        assertThat(event.at("/ts").longValue()).as(seed + id).isGreaterThan(begun);
                    }
                    case "C" ->
                        live.put(
                                event.at("/pid").asText() + event.at("/name").asText(),
                                event.at("/args/bytes").longValue());
                    default -> {}
                }
            }
            assertThat(open).as(seed).isEmpty();
            assertThat(left).as(seed).isEqualTo(verdict.survivors().size());
            assertThat(live.values().stream().mapToLong(Long::longValue).sum())
                    .as(seed)
                    .isEqualTo(RandomHistory.liveBytes(verdict, BufferType.values()));
        });
    }

    @Test
    void memoryWithoutADeviceHasNoNumberOfOne() throws IOException {
        tracker.lease(AllocationDetails.user().labelled("arena"), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 2_048);
        LeakVerdict verdict = verdict();

        List<CSVRecord> rows = CSVFormat.DEFAULT
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .get()
                .parse(new StringReader(text(verdict, SurvivorsCsv::write)))
                .getRecords();

        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.get("device")).isEmpty();
            assertThat(row.get("address")).isEmpty();
            assertThat(row.get("label")).isEqualTo("arena");
        });
        assertThat(text(verdict, PerfettoTrace::write)).contains("\"args\":{\"name\":\"no device\"}");
    }

    @Test
    void aBufferIsASliceThatSaysWhatBecameOfIt() throws IOException {
        leak();

        String trace = text(verdict(), PerfettoTrace::write);

        assertThat(trace)
                .startsWith(
                        "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
                                + "{\"name\":\"process_name\",\"ph\":\"M\",\"ts\":0,\"pid\":0,\"tid\":0,\"args\":{\"name\":\"device 0\"}},");
        assertThat(trace)
                .contains("{\"name\":\"TEST\",\"ph\":\"i\",\"ts\":2,\"pid\":0,\"tid\":0,\"s\":\"g\"}")
                .contains(
                        "{\"name\":\"L1 live bytes\",\"ph\":\"C\",\"ts\":3,\"pid\":0,\"tid\":0,\"args\":{\"bytes\":2048}}")
                .contains(
                        "{\"name\":\"L1\",\"ph\":\"b\",\"ts\":3,\"pid\":0,\"tid\":2,\"cat\":\"L1\",\"id\":\"0x1\","
                                + "\"args\":{\"size\":2048,\"address\":\"0x1000\",\"status\":\"leaked\",\"cause\":\"UNEXPLAINED\"}}")
                .contains("{\"name\":\"L1\",\"ph\":\"e\",\"ts\":7,\"pid\":0,\"tid\":2,\"cat\":\"L1\",\"id\":\"0x1\"}");
    }

    @Test
    void theTableHasALineForEachSurvivorWithItsTextsAsTheyAre() throws IOException {
        leak();

        try (CSVParser csv = parsed(text(verdict(), SurvivorsCsv::write))) {
            List<CSVRecord> rows = csv.getRecords();
            assertThat(rows).hasSize(2);
            assertThat(rows.get(0).toMap())
                    .containsEntry("status", "LEAKED")
                    .containsEntry("cause", "UNEXPLAINED")
                    .containsEntry("type", "L1")
                    .containsEntry("device", "0")
                    .containsEntry("address", "4096")
                    .containsEntry("size", "2048")
                    .containsEntry("event", "3")
                    .containsEntry("phase", "TEST")
                    .containsEntry("label", "")
                    .containsEntry("site", "dev.example.KvCache.append(KvCache.java:12)");
            assertThat(rows.get(1).get("label")).isEqualTo("a;b,\n\"c\"");
        }
    }

    @Test
    void theTableIsReadBackWhateverWasJudged() throws IOException {
        forRandomHistories(SurvivorsCsv::write, (verdict, text, seed) -> {
            try (CSVParser csv = parsed(text)) {
                List<CSVRecord> rows = csv.getRecords();
                assertThat(rows).as(seed).hasSize(verdict.survivors().size());
                for (int i = 0; i < rows.size(); i++) {
                    Survivor survivor = verdict.survivors().get(i);
                    assertThat(rows.get(i).isConsistent()).as(seed).isTrue();
                    assertThat(rows.get(i).get("label"))
                            .as(seed)
                            .isEqualTo(survivor.buffer().label().orElse(""));
                    assertThat(rows.get(i).get("status"))
                            .as(seed)
                            .isEqualTo(survivor.status().name());
                }
            }
        });
    }

    private void leak() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.phase(Phase.TEST);
        Origin origin = Origin.of(
                new StackTraceElement("dev.example.KvCache", "append", "KvCache.java", 12),
                new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", 41));
        tracker.allocated(
                MemoryRequest.restored(AllocationDetails.user(), Optional.of(origin)),
                0,
                BufferType.L1,
                4096,
                2048,
                Ownership.OWNING);
        tracker.allocated(
                tracker.request(AllocationDetails.user().labelled("a;b,\n\"c\"")),
                0,
                BufferType.DRAM,
                4096,
                64,
                Ownership.OWNING);
        tracker.meshClosed(0);
        tracker.checked();
    }

    private LeakVerdict verdict() {
        return LeakCheck.create().examine(tracker.history());
    }

    private static CSVParser parsed(String text) throws IOException {
        return CSVParser.parse(
                new StringReader(text),
                CSVFormat.RFC4180
                        .builder()
                        .setHeader()
                        .setSkipHeaderRecord(true)
                        .get());
    }

    private static long leakedBytes(LeakVerdict verdict) {
        return verdict.survivors(survivor -> survivor.status() == SurvivorStatus.LEAKED).stream()
                .mapToLong(survivor -> survivor.buffer().size())
                .sum();
    }

    private static void forRandomHistories(Exporting exporting, Looking looking) throws IOException {
        long seed = Long.getLong("meshguard.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int run = 0; run < 60; run++) {
            LeakVerdict verdict = LeakCheck.create().examine(RandomHistory.of(random, 150));
            looking.at(verdict, text(verdict, exporting), "repeat with -Dmeshguard.seed=" + seed + " ");
        }
    }

    private static String text(LeakVerdict verdict, Exporting exporting) throws IOException {
        StringWriter text = new StringWriter();
        exporting.write(verdict, text);
        return text.toString();
    }
}
