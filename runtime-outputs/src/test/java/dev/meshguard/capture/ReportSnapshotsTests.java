package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.event.HistoryEvent.ReportsLost;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The snapshots of a report are compared with its nodes, which make the history. */
class ReportSnapshotsTests {

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);

    /** By the number of the operation. */
    private final Map<String, String> snapshots = new TreeMap<>();

    /** Each snapshot also has a buffer that no node mentions. */
    private void snapshot(int operation, Collection<Memory> memories) {
        snapshots.put(
                String.valueOf(operation),
                Stream.concat(memories.stream(), Stream.of(Memory.dram(1 << 30, 64)))
                        .map(memory ->
                                "{\"address\": " + memory.address() + ", \"buffer_type\": " + memory.code() + "}")
                        .collect(Collectors.joining(", ", "[", "]")));
    }

    private List<String> lost() {
        String all = snapshots.entrySet().stream()
                .map(snapshot -> "\"" + snapshot.getKey() + "\": " + snapshot.getValue())
                .collect(Collectors.joining(",\n", "{", "}"));
        return WrittenGraph.read(graph.report(Map.of("per_operation_buffers", all))).history().lostReports().stream()
                .map(ReportsLost::reason)
                .toList();
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
        after.forEach((operation, memories) -> snapshot(operation, memories.values()));

        assertThat(lost()).isEmpty();

        int changed = List.copyOf(after.keySet()).get(random.nextInt(after.size()));
        int allocated = after.get(changed).size();
        snapshot(changed, List.of());

        assertThat(lost())
                .isEqualTo(
                        allocated == 0
                                ? List.of()
                                : List.of("after ttnn::op (node " + changed + ") the graph has " + allocated
                                        + (allocated == 1 ? " buffer" : " buffers")
                                        + " allocated, and its snapshot in per_operation_buffers has none of them"));
    }
}
