package dev.meshguard.junit.testkit;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A test class with fixtures: each nested class whose name ends with {@code TestCase} states its results. */
public interface WithFixtures {

    /** Checks each of them after a run of its own. */
    @TestFactory
    default Stream<DynamicTest> fixtures() {
        return FixtureChecks.in(getClass());
    }
}
