package dev.meshguard.verification.seeds;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BACKING_BUFFERS_REPORTED_AS_DEVICE_0;
import static dev.meshguard.mesh.runtime.RuntimeDefect.BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED;
import static dev.meshguard.mesh.runtime.RuntimeDefect.MESH_BUFFER_DEALLOCATE_RETURNS_EARLY;
import static dev.meshguard.mesh.runtime.RuntimeDefect.NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.AccumulationAssert;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.CountingPolicy;
import dev.meshguard.history.PolicyLedger;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.CloseOrder;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.mesh.runtime.RuntimeFix;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.runtime.SystemProgram;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.AccumulationReport;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code test_mesh_allocation.py} on a 2x4 Wormhole mesh of October 2025, with every figure of seeds 000, 002, 003 and 004, and
 * every fix that they proposed or tried.
 *
 * <p>The seeds explain the figures as leaks, as system buffers or as the role of device 0. Each is a count of the reports under
 * one counting policy, and the verdict names the real reason.
 */
class MeshAllocationFiguresTests {

    private static final String ROUND = "compute free close drop";
    private static final SystemProgram FABRIC = SystemProgram.fabric().withKernelBinary(1);

    private final AllocationTracker tracker = AllocationTracker.create();

    /** Each pair is the figure of device 0 and that of each other device. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # policy          | runtime                                                                                        | steps                    | DRAM              | L1      | reports | peak of DRAM      | entries | unknown frees
            REFERENCE_COUNTED | faultless                                                                                      | compute                  | 14716928 14716928 | 12288 0 | 14 8    | 14716928 14716928 | 67      | 0
            REFERENCE_COUNTED | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free             | 36864 36864       | 12288 0 | 8 2     | 14716928 14716928 | 19      | 0
            EVERY_REPORT      | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free             | 36864 36864       | 22528 0 | 8 2     | 14741504 14741504 | 3       | 0
            ONCE_PER_ADDRESS  | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free             | 0 0               | 12288 0 | 3 0     | 14704640 14704640 | 3       | 0
            OWNED_ONLY        | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free             | 0 0               | 12288 0 | 6 0     | 0 0               | 3       | 0
            REFERENCE_COUNTED | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free clear close | 0 0               | 12288 0 | 6 0     | 14716928 14716928 | 3       | 0
            EVERY_REPORT      | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                           | compute free clear close | 36864 36864       | 22528 0 | 8 2     | 14741504 14741504 | 3       | 16
            EVERY_REPORT      | faultless                                                                                      | compute free             | 36864 36864       | 22528 0 | 8 2     | 14741504 14741504 | 3       | 0
            EVERY_REPORT      | faultless                                                                                      | compute free clear close | 36864 36864       | 12288 0 | 5 2     | 14741504 14741504 | 0       | 19
            EVERY_REPORT      | early CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                     | compute                  | 29507584 14753792 | 22528 0 | 26 10   | 29507584 14753792 | 67      | 0
            EVERY_REPORT      | early CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                     | compute free             | 14827520 14753792 | 22528 0 | 20 10   | 29507584 14753792 | 61      | 0
            EVERY_REPORT      | early CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                                     | compute free clear       | 14790656 14753792 | 22528 0 | 18 10   | 29507584 14753792 | 59      | 0
            REFERENCE_COUNTED | early                                                                                          | compute free clear close | 14716928 14716928 | 0 0     | 12 10   | 14716928 14716928 | 64      | 0
            REFERENCE_COUNTED | BACKING_BUFFERS_REPORTED_AS_DEVICE_0                                                           | compute free clear close | 0 0               | 0 0     | 0 0     | 14716928 14716928 | 0       | 0
            EVERY_REPORT      | BACKING_BUFFERS_REPORTED_AS_DEVICE_0                                                           | compute                  | 29470720 14716928 | 22528 0 | 24 8    | 29495296 14741504 | 51      | 0
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round                    | 36864 36864       | 12288 0 | 5 2     | 14741504 14741504 | 0       | 3
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round round              | 73728 73728       | 24576 0 | 10 4    | 14778368 14778368 | 0       | 6
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round round round        | 110592 110592     | 36864 0 | 15 6    | 14815232 14815232 | 0       | 9
            REFERENCE_COUNTED | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round                    | 36864 36864       | 0 0     | 2 2     | 14716928 14716928 | 16      | 0
            REFERENCE_COUNTED | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round round              | 36864 36864       | 0 0     | 4 4     | 14716928 14716928 | 16      | 0
            REFERENCE_COUNTED | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                                                         | round round round        | 36864 36864       | 0 0     | 6 6     | 14716928 14716928 | 16      | 0
            REFERENCE_COUNTED | CIRCULAR_BUFFERS_NEVER_REPORTED_FREE FORCE_CLEANUP_ALL_BUFFERS                                 | compute free clear close | 0 0               | 12288 0 | 6 0     | 14716928 14716928 | 3       | 0
            REFERENCE_COUNTED | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED PROGRAMS_REPORT_BINARIES_AFTER_CLOSE                    | round                    | 0 0               | 0 0     | 0 0     | 14716928 14716928 | 0       | 0
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED PROGRAMS_REPORT_BINARIES_AFTER_CLOSE                    | round                    | 36864 36864       | 12288 0 | 5 2     | 14741504 14741504 | 0       | 19
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED CLEAR_PROGRAM_CACHE_ON_CLOSE                            | round                    | 36864 36864       | 12288 0 | 5 2     | 14741504 14741504 | 0       | 19
            EVERY_REPORT      | BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED LOADING_VIEWS_NOT_REPORTED CLEAR_PROGRAM_CACHE_ON_CLOSE | round                    | 0 0               | 12288 0 | 3 0     | 14716928 14716928 | 0       | 3
            OWNED_ONLY        | faultless                                                                                      | tiles close              | 0 0               | 0 0     | 0 0     | 0 0               | 0       | 0
            ONCE_PER_ADDRESS  | MESH_BUFFER_DEALLOCATE_RETURNS_EARLY                                                           | tile-freed tiles         | 2048 2048         | 0 0     | 1 1     | 2048 2048         | 8       | 0
            EVERY_REPORT      | MESH_BUFFER_DEALLOCATE_RETURNS_EARLY                                                           | tile-freed tiles         | 10240 10240       | 0 0     | 2 2     | 10240 10240       | 8       | 0
            EVERY_REPORT      | buffers SYSTEM_BUFFERS_FIRST                                                                   | compute free close       | 36864 36864       | 22528 0 | 8 2     | 14753792 14753792 | 3       | 0
            EVERY_REPORT      | buffers ALLOCATORS_FIRST                                                                       | compute free close       | 36864 36864       | 22528 0 | 8 2     | 14753792 14753792 | 3       | 0
            EVERY_REPORT      | buffers CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS RESET_FABRIC_PROGRAM_ON_CLOSE           | compute free close       | 36864 36864       | 22528 0 | 8 2     | 14753792 14753792 | 3       | 0
            """)
    void isCountedByAPolicyAs(CountingPolicy policy, String runtime, String steps, ArgumentsAccessor figures) {
        run(runtime, steps);

        PolicyLedger ledger = tracker.history().ledger(policy);
        assertThat(Stream.of(
                        pair(device -> ledger.bytes(device, DRAM)),
                        pair(device -> ledger.bytes(device, L1)),
                        pair(ledger::reports),
                        pair(device -> ledger.peakBytes(device, DRAM)),
                        ledger.entries(),
                        ledger.unknownFrees()))
                .map(Object::toString)
                .containsExactlyElementsOf(
                        figures.toList().stream().skip(3).map(Object::toString).toList());
    }

    /** Of what remains, the cause, the owner, the type, and the bytes on device 0 and on each other device. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # runtime                                                           | steps                    | outcome: survivors
            CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                                | compute free clear close | MISREPORTED: CIRCULAR_BUFFER_UNREPORTED PROGRAM L1 12288 0
            faultless                                                           | compute free clear close | LEAK_FREE: nothing
            early CIRCULAR_BUFFERS_NEVER_REPORTED_FREE                          | compute free clear close | MISREPORTED: CIRCULAR_BUFFER_UNREPORTED PROGRAM L1 12288 0, FREE_UNREPORTED PROGRAM DRAM 0 36864, FREE_UNREPORTED TENSOR DRAM 0 14680064, REPORTED_TWICE PROGRAM DRAM 36864 0, REPORTED_TWICE TENSOR DRAM 14680064 0
            BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                              | compute free close       | LEAKED: CACHED PROGRAM DRAM 36864 36864, CACHED PROGRAM L1 12288 0
            BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED CLEAR_PROGRAM_CACHE_ON_CLOSE | compute free close       | LEAK_FREE: nothing
            BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED LOADING_VIEWS_NOT_REPORTED   | compute free close       | LEAKED: CACHED PROGRAM DRAM 36864 36864, CACHED PROGRAM L1 12288 0
            BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED                              | round                    | MISREPORTED: REPORTED_TWICE PROGRAM DRAM 36864 36864
            faultless                                                           | tiles close              | LEAKED: UNEXPLAINED TENSOR DRAM 8192 8192
            FORCE_CLEANUP_ALL_BUFFERS                                           | tiles close              | LEAKED: UNEXPLAINED TENSOR DRAM 8192 8192
            buffers SYSTEM_BUFFERS_FIRST                                        | compute free close       | LEAKED: CACHED PROGRAM DRAM 36864 36864, CACHED PROGRAM L1 12288 0
            buffers ALLOCATORS_FIRST                                            | compute free close       | LEAKED: CACHED PROGRAM DRAM 36864 36864, CACHED PROGRAM L1 12288 0
            """)
    void isJudgedAs(String runtime, String steps, String judgement) {
        run(runtime, steps);

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        Map<String, List<BufferGeneration>> byCause = verdict.survivors().stream()
                .collect(Collectors.groupingBy(
                        MeshAllocationFiguresTests::kindOf,
                        TreeMap::new,
                        Collectors.mapping(Survivor::buffer, Collectors.toList())));
        assertThat(verdict.outcome() + ": "
                        + byCause.entrySet().stream()
                                .map(kind -> kind.getKey() + " " + pair(device -> bytesOf(kind.getValue(), device)))
                                .collect(Collectors.collectingAndThen(
                                        Collectors.joining(", "), all -> all.isEmpty() ? "nothing" : all)))
                .isEqualTo(judgement);
    }

    /** Seed 003 cleared the programs of the command queues before the allocators, and reset the program of the fabric. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # runtime                                                      | outcome, survivors on device 0, and addresses of device 0 that are allocated before the wipe
            fabric dispatch                                                | LEAKED [SYSTEM FABRIC DRAM] 2
            fabric dispatch CLEAR_COMMAND_QUEUE_PROGRAMS_BEFORE_ALLOCATORS | LEAKED [SYSTEM FABRIC DRAM] 1
            fabric dispatch RESET_FABRIC_PROGRAM_ON_CLOSE                  | LEAK_FREE [] 2
            persistent-fabric                                              | EXPECTED_ONLY [SYSTEM FABRIC DRAM] 1
            queue SYSTEM_BUFFERS_FIRST                                     | LEAK_FREE [] 0
            queue ALLOCATORS_FIRST                                         | LEAK_FREE [] 1
            """)
    void closesProgramsOfTheRuntime(String runtime, String judgement) {
        run(runtime, "close");

        LeakVerdict verdict = LeakCheck.create().examine(tracker.history());
        List<String> onDevice0 = verdict.survivors(survivor -> survivor.buffer().device() == 0).stream()
                .map(MeshAllocationFiguresTests::kindOf)
                .toList();
        long beforeTheWipe = snapshots(Moment.BEFORE_WIPE).stream()
                .mapToLong(snapshot -> snapshot.allocatedAddresses(0, DRAM).size())
                .sum();
        assertThat(verdict.outcome() + " " + onDevice0 + " " + beforeTheWipe).isEqualTo(judgement);
    }

    /** Seed 002 calls it a leak; the same addresses are reported again in each round, and the allocators are empty after each. */
    @Test
    void growsByNothingInRounds() {
        run(BUFFERS_FREED_AFTER_CLOSE_NOT_REPORTED.name(), "round round round");

        AccumulationAssert accumulation =
                LeakAssertions.assertThat(tracker).accumulation().doesNotGrow().hasSettled();
        AccumulationAssert ofMeshes =
                LeakAssertions.assertThat(tracker).accumulation(Rounds.MESHES).hasSettled();
        for (int device = 0; device < 8; device++) {
            accumulation.memoryGrowsBy(DRAM, device, 0).memoryGrowsBy(L1, device, 0);
            ofMeshes.memoryGrowsBy(DRAM, device, 0).memoryGrowsBy(L1, device, 0);
        }
        assertThat(AccumulationReport.of(Accumulation.of(tracker.history())).text())
                .isEqualTo("""
                SETTLED  3 rounds, the first for warming up · memory grows by 0 B per round
                No round retained or freed memory.""");
        assertThat(generations(0, DRAM))
                .filteredOn(buffer -> buffer.address() == 0x3fff_f800L)
                .extracting(BufferGeneration::generation)
                .containsExactly(1, 2, 3);
        assertThat(snapshots(Moment.AFTER_WIPE)).hasSize(3).allSatisfy(snapshot -> {
            for (int device = 0; device < 8; device++) {
                for (BufferType type : BufferType.values()) {
                    assertThat(snapshot.allocatedAddresses(device, type)).isEmpty();
                }
            }
        });
    }

    /** Names are of defects, fixes, an order of closing, and of programs and buffers that the runtime has for itself. */
    private Ttnn runtime(String names) {
        Ttnn.Builder builder = Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025);
        for (String name : names.split(" ", -1)) {
            switch (name) {
                case "faultless" -> {}
                case "early" ->
                    builder.defects(
                            BACKING_BUFFERS_REPORTED_AS_DEVICE_0,
                            NON_OWNING_BUFFERS_DO_NOT_REPORT_FREES,
                            MESH_BUFFER_DEALLOCATE_RETURNS_EARLY);
                case "fabric" -> builder.systemProgram(FABRIC);
                case "persistent-fabric" -> builder.systemProgram(FABRIC.withLifetime(BufferLifetime.PERSISTENT));
                case "dispatch" ->
                    builder.systemProgram(SystemProgram.dispatch().withKernelBinary(1));
                case "queue" ->
                    builder.systemProgram(SystemProgram.commandQueue().withKernelBinary(1));
                case "buffers" ->
                    builder.systemBuffer(new Owner(Owner.Kind.COMMAND_QUEUE, "0"), DRAM, 8_192)
                            .systemBuffer(new Owner(Owner.Kind.FABRIC, "router"), DRAM, 4_096);
                default -> configure(builder, name);
            }
        }
        return builder.build();
    }

    private static void configure(Ttnn.Builder builder, String name) {
        Stream.of(RuntimeDefect.values()).filter(one -> one.name().equals(name)).forEach(builder::defects);
        Stream.of(RuntimeFix.values()).filter(one -> one.name().equals(name)).forEach(builder::fixes);
        Stream.of(CloseOrder.values()).filter(one -> one.name().equals(name)).forEach(builder::closeOrder);
    }

    /** Runs steps of the program; those after "drop" are of the next round, on another mesh. */
    private void run(String runtime, String steps) {
        Ttnn ttnn = runtime(runtime);
        int number = 0;
        for (String round : steps.replace("round", ROUND).split("(?<=drop) ", -1)) {
            number++;
            try (Scope counted = tracker.round(number)) {
                MeshDevice mesh = ttnn.openMeshDevice(MeshShape.of(2, 4));
                MeshAllocation program = new MeshAllocation(ttnn, mesh);
                for (String step : round.split(" ", -1)) {
                    run(step, program, mesh, ttnn);
                }
            }
        }
    }

    private static void run(String step, MeshAllocation program, MeshDevice mesh, Ttnn ttnn) {
        switch (step) {
            case "compute" -> program.compute();
            case "free" -> program.freeTensors();
            case "clear" -> program.clearCache();
            case "close" -> program.close();
            case "drop" -> program.dropMesh();
            case "tile-freed" ->
                ttnn.empty(TensorShape.of(32, 32), DataType.BFLOAT16, mesh).deallocate();
            case "tiles" -> ttnn.empty(TensorShape.of(64, 64), DataType.BFLOAT16, mesh);
            default -> throw new IllegalArgumentException(step);
        }
    }

    private static String pair(IntToLongFunction figure) {
        String others = IntStream.range(1, 8)
                .mapToLong(figure)
                .distinct()
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
        return figure.applyAsLong(0) + " " + others;
    }

    private static long bytesOf(List<BufferGeneration> buffers, int device) {
        return buffers.stream()
                .filter(buffer -> buffer.device() == device)
                .mapToLong(BufferGeneration::size)
                .sum();
    }

    private static String kindOf(Survivor survivor) {
        String owner = survivor.buffer().owner().map(one -> one.kind().name()).orElse("TENSOR");
        return survivor.cause() + " " + owner + " " + survivor.buffer().type();
    }

    private List<BufferGeneration> generations(int device, BufferType type) {
        return tracker.history().generations().stream()
                .filter(buffer -> buffer.device() == device && buffer.type() == type)
                .toList();
    }

    private List<WitnessSnapshot> snapshots(Moment moment) {
        return tracker.history().witnessSnapshots().stream()
                .map(HistoryEvent.Witnessed::snapshot)
                .filter(snapshot -> snapshot.moment() == moment)
                .toList();
    }
}
