package dev.meshguard.samples.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import org.junit.jupiter.api.Test;

/** The findings that the tutorial explains. */
class TutorialTests {

    @Test
    void theCacheHoldsItsKeysOnEveryDevice() {
        Throwable failure = Fixtures.failureOf(PrefixCacheLeakTestCase.class);

        LeakVerdict verdict = ((LeakAssertionError) failure).verdict();
        assertThat(verdict.survivors()).hasSize(8).extracting(Survivor::cause).containsOnly(Cause.HELD);
    }
}
