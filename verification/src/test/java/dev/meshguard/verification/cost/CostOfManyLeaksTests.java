package dev.meshguard.verification.cost;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.meshguard.handle.HandleSearch;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Tensor;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that twice as many leaks need only twice the work to explain, for any common property of the leaks.
 *
 * <p>Work is measured in bytes that the thread allocates, which depend neither on the clock nor on other work of the machine.
 * Code that visits all leaks for each leak would allocate four times as much for twice as many.
 */
class CostOfManyLeaksTests {

    private static final int LEAKS = 1_500;

    /** Two, and what is compiled meanwhile or only fits into the next size of a table. */
    private static final double MOST = 2.9;

    private static final TensorShape TILE = TensorShape.of(32, 32);

    static Stream<Named<IntFunction<Runnable>>> programs() {
        return Stream.of(
                Named.of("one line", CostOfManyLeaksTests::oneLine),
                Named.of("as many stacks", CostOfManyLeaksTests::manyStacks),
                Named.of("a mesh for every fourth", CostOfManyLeaksTests::manyMeshes),
                Named.of("a test for every fourth, on one mesh", CostOfManyLeaksTests::manyTests),
                Named.of("each held by the next", CostOfManyLeaksTests::chain));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void growsWithTheirNumber(IntFunction<Runnable> program) {
        Runnable some = program.apply(LEAKS);
        Runnable twice = program.apply(2 * LEAKS);
        // Not counted is what is done once: classes are loaded, stacks resolved.
        some.run();
        twice.run();

        long bytes = bytesAllocatedBy(some);
        long bytesOfTwice = bytesAllocatedBy(twice);

        assertThat((double) bytesOfTwice / bytes)
                .as("%d B for %d leaks, %d B for twice as many", bytes, LEAKS, bytesOfTwice)
                .isLessThan(MOST);
    }

    @Test
    void buffersThatWereFreedCostTheTextNothing() {
        LeakVerdict few = afterFreeing(1);
        LeakVerdict many = afterFreeing(LEAKS);
        VerdictReport.of(few).text();

        long bytes = bytesAllocatedBy(() -> VerdictReport.of(few).text());
        long bytesOfMany = bytesAllocatedBy(() -> VerdictReport.of(many).text());

        assertThat((double) bytesOfMany / bytes)
                .as("%d B after a free, %d B after %d", bytes, bytesOfMany, LEAKS)
                .isLessThan(1.5);
    }

    private static LeakVerdict afterFreeing(int tensors) {
        AllocationTracker tracker = onOneMesh((unused, ttnn, mesh) -> {
            repeat(tensors, freed -> leak(ttnn, mesh).deallocate());
            leak(ttnn, mesh);
        });
        return LeakCheck.create().examine(tracker.history());
    }

    /** The calls of a program between the opening and the close of its mesh. */
    private interface Work {
        void run(AllocationTracker tracker, Ttnn ttnn, MeshDevice mesh);
    }

    private static AllocationTracker onOneMesh(Work work) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        onAMesh(ttnn, mesh -> work.run(tracker, ttnn, mesh));
        return tracker;
    }

    private static void onAMesh(Ttnn ttnn, Consumer<MeshDevice> work) {
        try (MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(MeshShape.of(1, 1)))) {
            work.accept(mesh);
        }
    }

    private static void repeat(int times, IntConsumer work) {
        IntStream.range(0, times).forEach(work);
    }

    private static Runnable oneLine(int leaks) {
        return explaining(onOneMesh((tracker, ttnn, mesh) -> repeat(leaks, leak -> leak(ttnn, mesh))));
    }

    private static Runnable manyStacks(int leaks) {
        return explaining(onOneMesh((tracker, ttnn, mesh) ->
                repeat(leaks, leak -> byWayOf(leak, 12, () -> leak(ttnn, mesh)))));
    }

    private static Runnable manyMeshes(int leaks) {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.create(tracker);
        repeat(leaks / 4, one -> onAMesh(ttnn, mesh -> repeat(4, leak -> leak(ttnn, mesh))));
        return explaining(tracker);
    }

    private static Runnable manyTests(int leaks) {
        List<AllocationContext> tests = new ArrayList<>();
        AllocationTracker tracker = onOneMesh((all, ttnn, mesh) -> repeat(leaks / 4, number -> {
            AllocationContext test = all.context("test " + number);
            try (Scope thread = test.makeCurrent()) {
                repeat(4, leak -> leak(ttnn, mesh));
            }
            tests.add(test);
        }));
        // Of every other test it was said what it left.
        AllocationHistory history = tracker.history();
        LeakCheck check = LeakCheck.create();
        for (int test = 0; test < tests.size(); test += 2) {
            LeakVerdict told = LeakCheck.create().examine(history.partOf(tests.get(test)));
            check = check.excluding(told, tests.get(test).name());
        }
        LeakCheck apart = check;
        return () -> explain(tracker, apart);
    }

    private static Runnable chain(int leaks) {
        AtomicReference<@Nullable Node> last = new AtomicReference<>();
        AllocationTracker tracker = onOneMesh((unused, ttnn, mesh) ->
                repeat(leaks, leak -> last.set(new Node(leak(ttnn, mesh), last.get()))));
        HandleSearch search =
                HandleSearch.from(new Holder(last.get())).collectingBy(CostOfManyLeaksTests::noCollection);
        return () -> {
            search.trace(tracker, tracker.history());
            explain(tracker, LeakCheck.create());
        };
    }

    private static Runnable explaining(AllocationTracker tracker) {
        return () -> explain(tracker, LeakCheck.create());
    }

    private static boolean noCollection() {
        return true;
    }

    private static Tensor leak(Ttnn ttnn, MeshDevice mesh) {
        return ttnn.empty(TILE, DataType.BFLOAT16, mesh);
    }

    /** Each bit of the number is a turn to the left or to the right. */
    private static void byWayOf(int number, int turns, Runnable end) {
        if (turns == 0) {
            end.run();
        } else if ((number & 1) == 0) {
            left(number >> 1, turns - 1, end);
        } else {
            right(number >> 1, turns - 1, end);
        }
    }

    private static void left(int number, int turns, Runnable end) {
        byWayOf(number, turns, end);
    }

    private static void right(int number, int turns, Runnable end) {
        byWayOf(number, turns, end);
    }

    private static void explain(AllocationTracker tracker, LeakCheck check) {
        LeakVerdict verdict = check.examine(tracker.history());
        assertThat(verdict.survivors()).isNotEmpty();
        assertThat(VerdictReport.of(verdict).text()).startsWith("LEAK");
    }

    private static long bytesAllocatedBy(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @SuppressWarnings("UnusedVariable") // A search reads it.
    private record Holder(@Nullable Node last) {}

    @SuppressWarnings("UnusedVariable") // A search reads it.
    private record Node(Tensor tensor, @Nullable Node before) {}
}
