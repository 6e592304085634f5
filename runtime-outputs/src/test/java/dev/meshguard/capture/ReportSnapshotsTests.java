package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.event.HistoryEvent.ReportsLost;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The snapshots of a report are compared with its nodes, which make the history. */
class ReportSnapshotsTests {

    private static final Memory FIRST = Memory.l1(1_488_896, 65_536);
    private static final Memory SECOND = Memory.dram(1_048_576, 4096);

    /** By the number of the operation. */
    private final Map<String, String> snapshots = new TreeMap<>();

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);

    private static String entry(Memory memory) {
        return "{\"device_id\": 0, \"address\": " + memory.address()
                + ", \"max_size_per_bank\": 1000, \"buffer_type\": " + memory.code() + ", \"buffer_layout\": 0}";
    }

    private void snapshot(int operation, Memory... memories) {
        snapshots.put(
                String.valueOf(operation),
                Arrays.stream(memories).map(ReportSnapshotsTests::entry).collect(Collectors.joining(", ", "[", "]")));
    }

    private String report(WrittenGraph written) {
        return written.report(Map.of(
                "buffer_pages",
                "[]",
                "per_operation_buffers",
                snapshots.entrySet().stream()
                        .map(snapshot -> "\"" + snapshot.getKey() + "\": " + snapshot.getValue())
                        .collect(Collectors.joining(",\n", "{", "}"))));
    }

    private RuntimeOutput read() {
        return WrittenGraph.read(report(graph));
    }

    private static List<String> lost(RuntimeOutput output) {
        return output.history().lostReports().stream().map(ReportsLost::reason).toList();
    }

    private static Outcome outcome(RuntimeOutput output) {
        return LeakCheck.create().examine(output.history()).outcome();
    }

    @Test
    void thatAgreeLeaveTheVerdictAsItIs() {
        int operation = graph.begin("ttnn::relu");
        int buffer = graph.allocate(FIRST);
        graph.end();
        graph.free(buffer, FIRST);
        int other = graph.begin("ttnn::add");
        graph.end().close();
        snapshot(operation, FIRST);
        snapshot(other);

        RuntimeOutput output = read();

        assertThat(outcome(output)).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output.notes()).contains("2 snapshots were compared with the nodes: all agree.");
    }

    @Test
    void withoutABufferOfTheGraphMakeTheVerdictInconclusive() {
        int operation = graph.begin("ttnn::relu");
        int buffer = graph.allocate(FIRST);
        int second = graph.allocate(SECOND);
        graph.end();
        graph.free(buffer, FIRST);
        graph.free(second, SECOND);
        graph.close();
        snapshot(operation, SECOND);

        RuntimeOutput output = read();

        assertThat(outcome(output)).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(lost(output))
                .containsExactly("after ttnn::relu (node 1) the graph has 2 buffers allocated, and its snapshot in"
                        + " per_operation_buffers has 1 of them");
        assertThat(output.notes()).contains("1 snapshot was compared with the nodes: 1 contradict them.");
    }

    @Test
    void withABufferThatTheGraphFreedMakeTheVerdictInconclusive() {
        int buffer = graph.allocate(FIRST);
        graph.free(buffer, FIRST);
        int operation = graph.begin("ttnn::relu");
        graph.end().close();
        snapshot(operation, FIRST);

        RuntimeOutput output = read();

        assertThat(outcome(output)).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(lost(output))
                .containsExactly("after ttnn::relu (node 4) the graph has 0 buffers allocated, and its snapshot in"
                        + " per_operation_buffers has none of them and 1 that the graph freed before");
    }

    @Test
    void withABufferThatNoNodeMentionsBlameNobody() {
        int operation = graph.begin("ttnn::relu");
        graph.end().close();
        snapshot(operation, FIRST, SECOND);

        RuntimeOutput output = read();

        assertThat(outcome(output)).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output.notes())
                .contains(
                        "Buffers of a snapshot that no node mentions are from before the capture or of another thread,"
                                + " and are not judged: 2 at most at a time.");
    }

    @Test
    void haveABufferFromBeforeTheCaptureUntilItIsFreed() {
        int before = graph.buffer(FIRST);
        int operation = graph.begin("ttnn::relu");
        graph.end();
        graph.free(before, FIRST);
        int later = graph.begin("ttnn::add");
        graph.end().close();
        snapshot(operation, FIRST);
        snapshot(later);

        assertThat(outcome(read())).isEqualTo(Outcome.LEAK_FREE);

        snapshot(later, FIRST);

        assertThat(outcome(read())).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void ofACaptureWithoutAddressesContradictNothing() {
        int operation = graph.begin("ttnn::relu");
        Memory nowhere = Memory.l1(0, 4096);
        int buffer = graph.allocate(nowhere);
        graph.end();
        graph.free(buffer, nowhere);
        graph.close();
        snapshot(operation, FIRST);

        assertThat(outcome(read())).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void thatCannotBeComparedMakeTheVerdictInconclusiveUnlessTheyAreEmpty() {
        graph.close();
        snapshots.put("12", "[]");
        assertThat(outcome(read())).isEqualTo(Outcome.LEAK_FREE);
        assertThat(read().notes())
                .contains("Skipped: 1 × section buffer_pages, 1 × snapshot of no outermost operation that ended.");

        snapshots.put("14", "[{}]");
        snapshots.put("no number", "[{}]");
        snapshots.put("99999999999999999999", "5");
        snapshots.put("16", "5");

        assertThat(lost(read()))
                .containsExactly(
                        "2 × snapshot of no operation",
                        "1 × snapshot of no outermost operation that ended",
                        "1 × snapshot that is no list");
    }

    @Test
    void withRowsThatCannotBeReadMakeTheVerdictInconclusive() {
        int operation = graph.begin("ttnn::relu");
        graph.end().close();
        snapshots.put(
                String.valueOf(operation),
                "[1, null, {\"address\": \"x\", \"buffer_type\": 1}, {\"address\": \"64\", \"buffer_type\": \"1\", \"more\": []}]");

        assertThat(lost(read()))
                .containsExactly(
                        "2 × buffer of a snapshot that is no object", "1 × buffer of a snapshot without valid numbers");
    }

    static Stream<Long> seeds() {
        Long given = Long.getLong("meshguard.seed");
        return given != null
                ? Stream.of(given)
                : new Random(20_261_127).longs(20).boxed();
    }

    /** The oracle is the list of buffers that the program itself keeps. */
    @ParameterizedTest(name = "-Dmeshguard.seed={0}")
    @MethodSource("seeds")
    void ofRandomProgramsAgreeUnlessOneIsChanged(long seed) {
        Random random = new Random(seed);
        Map<Integer, Map<Long, Memory>> after = new HashMap<>();
        Map<Long, Memory> live = new TreeMap<>();
        Map<Long, Integer> nodes = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            int operation = graph.begin("ttnn::op");
            for (int j = random.nextInt(4); j > 0; j--) {
                long address = 65_536L * (1 + random.nextInt(12));
                Memory memory = live.remove(address);
                if (memory != null) {
                    graph.free(nodes.get(address), memory);
                } else {
                    Memory fresh = random.nextBoolean() ? Memory.l1(address, 64) : Memory.dram(address, 64);
                    live.put(address, fresh);
                    nodes.put(address, graph.allocate(fresh));
                }
            }
            graph.end();
            after.put(operation, new TreeMap<>(live));
        }
        graph.close();
        Memory unknown = Memory.dram(1 << 30, 64);
        after.forEach((operation, memories) -> {
            List<Memory> all = new ArrayList<>(memories.values());
            all.add(unknown);
            snapshot(operation, all.toArray(Memory[]::new));
        });

        assertThat(lost(read())).isEmpty();

        int changed = List.copyOf(after.keySet()).get(random.nextInt(after.size()));
        int allocated = after.get(changed).size();
        snapshot(changed, unknown);

        assertThat(lost(read()))
                .isEqualTo(
                        allocated == 0
                                ? List.of()
                                : List.of("after ttnn::op (node " + changed + ") the graph has " + allocated
                                        + (allocated == 1 ? " buffer" : " buffers")
                                        + " allocated, and its snapshot in per_operation_buffers has none of them"));
    }
}
