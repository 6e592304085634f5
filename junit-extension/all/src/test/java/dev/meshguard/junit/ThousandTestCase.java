package dev.meshguard.junit;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thousand tests of every kind, in twenty classes: with a mesh of their own, and on one of their class. */
final class ThousandTestCase {

    static final int TESTS = 1_000;

    private ThousandTestCase() {}

    static List<Class<?>> classes() {
        List<Class<?>> classes = new ArrayList<>(List.of(ThousandTestCase.class.getDeclaredClasses()));
        classes.removeIf(type -> Modifier.isAbstract(type.getModifiers()));
        classes.sort(Comparator.comparing(Class::getName));
        return classes;
    }

    @ExtendWith(Fate.Resolver.class)
    abstract static class Fifty {

        void meet(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
            fate.fulfil(mesh);
        }

        @RepeatedTest(15)
        void repeated(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
            meet(fate, mesh);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
        void parameterized(int unused, Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
            meet(fate, mesh);
        }

        @TestFactory
        Stream<DynamicNode> dynamic(Fate fate, MeshDevice mesh) {
            fate.fulfil(mesh);
            return Stream.concat(
                    dynamicTests(fate, mesh, 10),
                    Stream.of(dynamicContainer("inner", dynamicTests(fate.ofChild("container", 11), mesh, 5))));
        }

        private static Stream<DynamicTest> dynamicTests(Fate around, MeshDevice mesh, int tests) {
            return IntStream.rangeClosed(1, tests)
                    .mapToObj(number -> dynamicTest(
                            "dynamic " + number,
                            () -> around.ofChild("test", number).fulfil(mesh)));
        }

        @Nested
        class Inner {
            @RepeatedTest(10)
            void nested(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
                meet(fate, mesh);
            }
        }
    }

    @TrackAllocations
    @FakeMesh(rows = 1, columns = 2)
    abstract static class Own extends Fifty {}

    static class Own1 extends Own {}

    static class Own2 extends Own {}

    static class Own3 extends Own {}

    static class Own4 extends Own {}

    @TestInstance(Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    static class OwnOfOneInstance1 extends Own {}

    @TestInstance(Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    static class OwnOfOneInstance2 extends Own {}

    /** On other threads than those of the pool. */
    abstract static class Helped extends Own {
        @Override
        void meet(Fate fate, MeshDevice mesh) throws InterruptedException, ExecutionException {
            FutureTask<Boolean> task = new FutureTask<>(() -> fate.fulfil(mesh), true);
            new Thread(task).start();
            task.get();
        }
    }

    static class Helped1 extends Helped {}

    static class Helped2 extends Helped {}

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @FakeMesh(rows = 1, columns = 2)
    abstract static class Shared extends Fifty {}

    static class Shared1 extends Shared {}

    static class Shared2 extends Shared {}

    static class Shared3 extends Shared {}

    static class Shared4 extends Shared {}

    static class Shared5 extends Shared {}

    static class Shared6 extends Shared {}

    /** The class allocates memory, too. */
    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @FakeMesh(rows = 1, columns = 2)
    @TestInstance(Lifecycle.PER_CLASS)
    @Execution(ExecutionMode.CONCURRENT)
    abstract static class Loading extends Fifty {

        private @Nullable MeshBuffer weights;

        @BeforeAll
        void load(Fate fate, MeshDevice mesh) {
            weights = Buffers.take(mesh, fate.name());
        }

        @AfterAll
        void unload(Fate fate) {
            if (weights != null && !fate.classLeaks()) {
                weights.deallocate();
            }
        }
    }

    static class Loading1 extends Loading {}

    static class Loading2 extends Loading {}

    static class Loading3 extends Loading {}

    static class Loading4 extends Loading {}

    static class Loading5 extends Loading {}

    static class Loading6 extends Loading {}
}
