package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.summary.SummaryListener;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestExecutionListener;

/** A project that depends on an adapter only gets the summary at the end of a run. */
class SummaryOfRunTests {

    @Test
    void theLauncherFindsItsListenerOnce() {
        assertThat(ServiceLoader.load(TestExecutionListener.class))
                .filteredOn(SummaryListener.class::isInstance)
                .hasSize(1);
    }
}
