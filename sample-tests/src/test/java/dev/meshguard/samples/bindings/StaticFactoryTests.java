package dev.meshguard.samples.bindings;

import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Handles from static factories are checked in code that takes no factory as a parameter. */
class StaticFactoryTests {

    @Test
    void aTensorThatTheCodeUnderTestKeepsLeaks() {
        Throwable failure = Fixtures.failureOf(StaticFactoryTestCases.ModelTestCase.class);

        assertThat(failure.getMessage()).isEqualTo(expected(Fixtures.historyOf(failure), """
                LEAK  4 KiB of native memory in 1 handle, HELD by Model.answer; allocated in StaticFactoryTestCases.java:23

                1. native memory  4 KiB, label "NativeTensor"
                   at dev.meshguard.samples.bindings.StaticFactoryTestCases$Model.infer(StaticFactoryTestCases.java:23)
                   why   HELD: still referenced by ModelTestCase.model -> Model.answer (event #9)
                   fix   Close the handle before the test ends.
                   seen  allocated in TEST (event #5)

                note    the source static factories covers calls of NativeTensor by thread "main"; nothing else is reported through it
                sum     2 allocated = 1 freed + 1 leaked
                expect  @ExpectBuffers(size = 4096, atMost = 1, label = "NativeTensor", origin = "StaticFactoryTestCases$Model.infer", because = "…")
                rerun   mvn test -Dtest='StaticFactoryTestCases$ModelTestCase#infers'"""));
    }

    @Test
    void aTensorThatTheCodeUnderTestClosesIsNoLeak() {
        assertThat(Fixtures.run(StaticFactoryTestCases.ClosedModelTestCase.class))
                .containsExactly(Map.entry("infersAndCloses", Optional.empty()));
    }

    @Test
    void aSessionWhoseCloseThrewLeaksWithTheErrorAsEvidence() {
        Throwable failure = Fixtures.failureOf(StaticFactoryTestCases.ServiceTestCase.class);

        assertThat(failure.getMessage()).isEqualTo(expected(Fixtures.historyOf(failure), """
                LEAK  1 handle of native memory, HELD by Service.session; allocated in StaticFactoryTestCases.java:73

                1. native memory  1 handle, label "NativeSession"
                   at dev.meshguard.samples.bindings.StaticFactoryTestCases$Service.<init>(StaticFactoryTestCases.java:73)
                   why   HELD: still referenced by ServiceTestCase.service -> Service.session (event #7)
                   fix   Close the handle before the test ends.
                   seen  allocated in TEST (event #3)
                         a call that should close it failed at event #4 with java.lang.IllegalStateException: the session is running, at
                         dev.meshguard.samples.bindings.StaticFactoryTestCases$Service.stop(StaticFactoryTestCases.java:81)

                note    the source static factories covers calls of NativeSession by thread "main"; nothing else is reported through it
                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "NativeSession", origin = "StaticFactoryTestCases$Service.<init>", because = "…")
                rerun   mvn test -Dtest='StaticFactoryTestCases$ServiceTestCase#stops'"""));
    }
}
