package dev.meshguard.samples.corpus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.mesh.Buffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the effect and the moment of each fault of reports. */
class FaultyListenerTests {

    private static final MeshShape TWO_DEVICES = MeshShape.of(1, 2);
    private static final TensorShape SHAPE = TensorShape.of(32, 32);
    private static final BufferConfig DRAM = BufferConfig.of(BufferType.DRAM, 2_048, 2_048);
    private static final BufferConfig L1 = BufferConfig.of(BufferType.L1, 2_048, 2_048);

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void losesTheReportOfThePlan() {
        MeshDevice mesh =
                with(RunFaults.none().losingReport(2, ReportKind.FREE)).openMeshDevice(TWO_DEVICES);

        mesh.allocate(MeshBufferConfig.replicated(DRAM)).deallocate();

        assertThat(aboutBuffers())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING");
        assertThat(lines(tracker)).noneMatch(line -> line.startsWith("lost"));
    }

    @Test
    void reportsALostReportThatIsNoticed() {
        MeshDevice mesh =
                with(RunFaults.none().losingReport(1).onDevice(1).noticed()).openMeshDevice(TWO_DEVICES);

        mesh.allocate(MeshBufferConfig.replicated(DRAM));

        assertThat(aboutBuffers()).containsExactly("allocated 0 DRAM 2968640+2048 NON_OWNING");
        assertThat(lines(tracker))
                .filteredOn(line -> line.startsWith("lost"))
                .containsExactly("lost 1: the source noticed that a report of device 1 got lost");
    }

    @Test
    void doublesTheReportOfThePlan() {
        MeshDevice mesh = with(RunFaults.none().doublingReport(3)).openMeshDevice(TWO_DEVICES);

        mesh.allocate(MeshBufferConfig.replicated(DRAM)).deallocate();

        assertThat(aboutBuffers())
                .containsExactly(
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void letsLaterReportsOvertakeTheOneOfThePlan() {
        MeshDevice mesh = with(RunFaults.none().delayingReport(1, 2)).openMeshDevice(TWO_DEVICES);

        mesh.allocate(MeshBufferConfig.replicated(DRAM)).deallocate();

        assertThat(aboutBuffers())
                .containsExactly(
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void letsOnlyReportsOfItsDeviceOvertakeTheOneOfADevice() {
        MeshDevice mesh =
                with(RunFaults.none().delayingReport(1, 1).onDevice(0)).openMeshDevice(TWO_DEVICES);

        mesh.allocate(MeshBufferConfig.replicated(DRAM)).deallocate();

        assertThat(aboutBuffers())
                .containsExactly(
                        "allocated 1 DRAM 2968640+2048 NON_OWNING",
                        "freed 0 DRAM 2968640 NON_OWNING",
                        "allocated 0 DRAM 2968640+2048 NON_OWNING",
                        "freed 1 DRAM 2968640 NON_OWNING");
    }

    @Test
    void handsOnAtTheLatestWhenTheMeshIsClosed() {
        Ttnn ttnn = with(RunFaults.none().doublingReport(1).delayingReport(1, 1_000));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        mesh.allocateOn(0, DRAM);
        assertThat(aboutBuffers()).isEmpty();

        mesh.close();

        assertThat(lines(tracker))
                .containsSequence(
                        "closed mesh 0",
                        "allocated 0 DRAM 2968640+2048 OWNING",
                        "allocated 0 DRAM 2968640+2048 OWNING");
    }

    @Test
    void holdsNothingBackOnceTheMeshIsClosed() {
        Ttnn ttnn = with(RunFaults.none().delayingReport(2, 1_000).reorderingReports(2, 1));
        MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
        Buffer buffer = mesh.allocateOn(0, DRAM);
        mesh.close();

        buffer.deallocate();

        assertThat(aboutBuffers())
                .containsExactly("allocated 0 DRAM 2968640+2048 OWNING", "freed 0 DRAM 2968640 OWNING");
    }

    @Test
    void handsOnTheReportsOfEachDeviceInTheOrderOfThePlan() {
        MeshDevice mesh = with(RunFaults.none().reorderingReports(3, 1, 2)).openMeshDevice(TWO_DEVICES);

        mesh.allocateOn(0, DRAM);
        mesh.allocateOn(0, L1);
        mesh.allocateOn(1, DRAM);
        mesh.allocateOn(0, DRAM);

        assertThat(aboutBuffers())
                .containsExactly(
                        "allocated 0 DRAM 2970688+2048 OWNING",
                        "allocated 0 DRAM 2968640+2048 OWNING",
                        "allocated 0 L1 1497088+2048 OWNING");
    }

    @Test
    void handsOnWhatIsGatheredBeforeACloseBegins() {
        MeshDevice mesh = with(RunFaults.none().reorderingReports(3, 2, 1)).openMeshDevice(TWO_DEVICES);
        mesh.allocateOn(0, DRAM);
        mesh.allocateOn(0, L1);

        mesh.close();

        assertThat(lines(tracker))
                .containsSequence(
                        "allocated 0 L1 1497088+2048 OWNING", "allocated 0 DRAM 2968640+2048 OWNING", "closing mesh 0");
    }

    @Test
    void shufflesTheReportsOfEachDeviceByTheSeed() {
        RunFaults plan = RunFaults.none().shufflingReports(4, 7);

        List<String> once = program(plan);
        List<String> again = program(plan);

        assertThat(once).isEqualTo(again).isNotEqualTo(program(RunFaults.none()));
        assertThat(once).containsExactlyInAnyOrderElementsOf(program(RunFaults.none()));
    }

    @Test
    void hasTheSameReportsGoAstrayHoweverThreadsInterleave() {
        RunFaults plan = RunFaults.none()
                .losingReport(3)
                .onDevice(6)
                .doublingReport(5, ReportKind.FREE)
                .onDevice(7)
                .delayingReport(2, 4)
                .onDevice(7)
                .shufflingReports(4, 7);

        List<List<String>> once = reportsOfTwoThreads(plan);

        for (int run = 0; run < 20; run++) {
            assertThat(reportsOfTwoThreads(plan)).isEqualTo(once);
        }
        assertThat(once).isNotEqualTo(reportsOfTwoThreads(RunFaults.none()));
    }

    /** What was reported of each of two devices, on each of which a thread works. */
    private static List<List<String>> reportsOfTwoThreads(RunFaults plan) {
        AllocationTracker recorded = AllocationTracker.create();
        Ttnn ttnn = with(plan, recorded);
        IntStream.of(6, 7).parallel().forEach(device -> {
            MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(1, 1))
                    .withPhysicalDeviceIds(device));
            for (int round = 0; round < 50; round++) {
                Buffer first = mesh.allocateOn(device, DRAM);
                mesh.allocate(MeshBufferConfig.replicated(L1)).deallocate();
                first.deallocate();
            }
        });
        return IntStream.of(6, 7)
                .mapToObj(device -> lines(recorded).stream()
                        .filter(line -> line.startsWith("allocated " + device) || line.startsWith("freed " + device))
                        .toList())
                .toList();
    }

    @Test
    void runsAlikeWithTheSamePlan() {
        long seed = Long.getLong("meshguard.seed", new SplittableRandom().nextLong());

        for (long next = seed; next < seed + 300; next++) {
            RunFaults plan = RunFaults.random(next);

            assertThat(program(plan)).as("-Dmeshguard.seed=%d", next).isEqualTo(program(plan));
        }
    }

    /** A program that catches every error of the runtime and goes on, and what it reported. */
    private static List<String> program(RunFaults plan) {
        AllocationTracker recorded = AllocationTracker.create();
        Ttnn ttnn = with(plan, recorded);
        for (int round = 0; round < 2; round++) {
            try (MeshDevice mesh = ttnn.openMeshDevice(TWO_DEVICES);
                    Tensor a = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
                    Tensor b = ttnn.empty(SHAPE, DataType.BFLOAT16, mesh)) {
                Tensor sum = ttnn.add(a, b);
                Tensor product = ttnn.matmul(a, sum);
                ttnn.deallocate(sum);
                ttnn.deallocate(product);
            } catch (MeshRuntimeException error) {
                recorded.reportsLost(1, String.valueOf(error.getMessage()));
            }
        }
        return lines(recorded);
    }

    private Ttnn with(RunFaults plan) {
        return with(plan, tracker);
    }

    private static Ttnn with(RunFaults plan, AllocationTracker tracker) {
        return Ttnn.builder(plan.between(tracker)).faults(plan.ofRuntime()).build();
    }

    private List<String> aboutBuffers() {
        return lines(tracker).stream()
                .filter(line -> line.startsWith("allocated") || line.startsWith("freed"))
                .toList();
    }

    private static List<String> lines(AllocationTracker tracker) {
        return tracker.history().events().stream()
                .flatMap(FaultyListenerTests::line)
                .toList();
    }

    private static Stream<String> line(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated one) {
            return Stream.of(String.format(
                    Locale.ROOT,
                    "allocated %d %s %d+%d %s",
                    one.device(),
                    one.type(),
                    one.address(),
                    one.size(),
                    one.ownership()));
        } else if (event instanceof HistoryEvent.Freed one) {
            return Stream.of(String.format(
                    Locale.ROOT, "freed %d %s %d %s", one.device(), one.type(), one.address(), one.ownership()));
        } else if (event instanceof HistoryEvent.ReportsLost one) {
            return Stream.of(String.format(Locale.ROOT, "lost %d: %s", one.count(), one.reason()));
        } else if (event instanceof HistoryEvent.MeshClosing one) {
            return Stream.of("closing mesh " + one.mesh());
        } else if (event instanceof HistoryEvent.MeshClosed one) {
            return Stream.of("closed mesh " + one.mesh());
        }
        return Stream.empty();
    }
}
