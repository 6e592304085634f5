package dev.meshguard.junit.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Outcome;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An expectation of a fixture that nothing could contradict is an error of the fixture. */
class FixtureChecksTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                NoTestsTestCase.class,
                NoTestTestCase.class,
                NestedResultTestCase.class,
                NestedRunTestCase.class,
                TestOfTheRunTestCase.class,
                AbortedAfterAllTestCase.class
            })
    void rejectWhatWouldHoldWithoutALook(Class<?> fixture) {
        assertThat(FixtureChecks.of(fixture))
                .anySatisfy(check -> assertThat(fails(check)).isTrue());
    }

    @Test
    void rejectEachResultThatIsAnotherThanStated() {
        assertThat(FixtureChecks.of(WrongTestCase.class))
                .filteredOn(check -> !check.getDisplayName().equals("WrongTestCase"))
                .hasSize(5)
                .allSatisfy(check -> assertThat(fails(check)).isTrue());
    }

    static class WrongTestCase {
        @RepeatedTest(2)
        @MustFail(invocation = 3)
        void failsInAnInvocationThatDoesNotExist() {}

        @TestFactory
        @Runs(0)
        @MustFail
        List<DynamicTest> failsInNoInvocation() {
            return List.of();
        }

        @MustLeak
        void succeeds() {}

        @Test
        void publishesAText(TestReporter reporter) {
            reporter.publishEntry("meshguard", "a text");
        }

        @Test
        @Publishes("a text")
        void publishesNothing() {}
    }

    @Test
    void acceptTestsThatSucceed() {
        assertThat(FixtureChecks.of(CleanTestCase.class))
                .hasSize(2)
                .noneSatisfy(check -> assertThat(fails(check)).isTrue());
    }

    private static boolean fails(DynamicTest check) throws Throwable {
        try {
            check.getExecutable().execute();
            return false;
        } catch (AssertionError failure) {
            return true;
        }
    }

    static class CleanTestCase {
        @Test
        void succeeds() {}
    }

    static class NoTestsTestCase {}

    static class NoTestTestCase {
        @Test
        void succeeds() {}

        @MustFail(verdict = Outcome.LEAKED)
        void leaks() {}
    }

    static class NestedResultTestCase {
        @Nested
        @MustFail(verdict = Outcome.LEAKED)
        class Inner {
            @Test
            void succeeds() {}
        }
    }

    static class NestedRunTestCase {
        @Nested
        @Configured("meshguard.check=none")
        class Inner {
            @Test
            void succeeds() {}
        }
    }

    static class TestOfTheRunTestCase {
        @Test
        @MustFail(run = true)
        void fails() {
            assertThat(1).isZero();
        }
    }

    static class AbortedAfterAllTestCase {
        @Test
        void succeeds() {}

        @AfterAll
        static void aborts() {
            Assumptions.abort();
        }
    }
}
