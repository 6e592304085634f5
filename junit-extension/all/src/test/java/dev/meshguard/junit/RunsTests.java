package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.verdict.Outcome;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;
import org.junit.platform.testkit.engine.EngineTestKit;

/**
 * Several runs in one JVM are independent.
 *
 * <p>Surefire reruns failed tests in the same JVM, in a run of its own; IDEs and mutation tests start JUnit repeatedly.
 * A later run does not report findings of an earlier one. A cancelled run is correct up to its cancellation.
 */
class RunsTests {

    @Test
    void memoryOfNoTestWithoutAnOriginHasTheRunAsItsPlace() {
        assertThat(run(UnownedMemoryTestCase.class, Map.of("meshguard.origins", "none")))
                .hasFailedContainer()
                .withFirstFrame("run.check(the whole run)");
    }

    /** A suite is a run of its own. */
    @Test
    void memoryOfNoTestFailsItsSuiteAndNotTheNext() {
        assertThat(JupiterRun.runSuites(LeakingSuite.class, CleanSuite.class))
                .hasOnlyLeakOf("JUnit Jupiter")
                .withFirstFrameIn("UnownedMemoryTestCase.leaks");
    }

    @Suite
    @SelectClasses(UnownedMemoryTestCase.class)
    static class LeakingSuite {}

    @Suite
    @SelectClasses(UnownedMemoryTestCase.FreeingTestCase.class)
    static class CleanSuite {}

    @Test
    void manyRunsAtTheSameTimeDoNotMeet() {
        IntStream.range(0, 24).parallel().forEach(number -> {
            RunAssert.Results results = run(number % 2 == 0 ? TypicalTestCase.Clean.class : TypicalTestCase.Leak.class);
            if (number % 2 == 0) {
                assertThat(results).hasOnlySucceeded(1);
            } else {
                assertThat(results).hasSingleTest().whichFailed().withVerdict(Outcome.LEAKED);
            }
        });
    }

    @Test
    void aRunThatIsCancelledHalfWayHasCheckedWhatRan() throws ReflectiveOperationException {
        Object token = cancellationToken();
        CancelledTestCase.cancel.set(() -> invoke(token, "cancel"));

        EngineTestKit.Builder kit = EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(DiscoverySelectors.selectClass(CancelledTestCase.class));
        Method cancellable =
                kit.getClass().getMethod("cancellationToken", token.getClass().getInterfaces()[0]);
        cancellable.invoke(kit, token);
        RunAssert.Results results = new RunAssert.Results(kit.execute());

        assertThat(results).hasTest("leaksAndCancels").whichFailed().withVerdict(Outcome.LEAKED);
        Assertions.assertThat(results.events().testEvents().started().count()).isEqualTo(1);
        assertThat(results)
                .hasFailedContainer()
                .withVerdict(Outcome.LEAKED)
                .withTextContaining("label \"of the class\"");
    }

    /** JUnit can be cancelled from 6.0 on. */
    private static Object cancellationToken() throws ReflectiveOperationException {
        Class<?> type;
        try {
            type = Class.forName("org.junit.platform.engine.CancellationToken");
        } catch (ClassNotFoundException before6) {
            return Assumptions.abort("this JUnit cannot be cancelled");
        }
        return type.getMethod("create").invoke(null);
    }

    private static void invoke(Object target, String method) {
        try {
            target.getClass().getInterfaces()[0].getMethod(method).invoke(target);
        } catch (ReflectiveOperationException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class CancelledTestCase {
        static final AtomicReference<Runnable> cancel = new AtomicReference<>(() -> {});

        @BeforeAll
        static void loads(MeshDevice mesh) {
            Buffers.take(mesh, "of the class");
        }

        @Test
        @Order(1)
        void leaksAndCancels(MeshDevice mesh) {
            Buffers.take(mesh);
            cancel.get().run();
        }

        @Test
        @Order(2)
        void isNeverReached() {}
    }
}
