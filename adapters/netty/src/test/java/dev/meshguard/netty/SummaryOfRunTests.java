package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.summary.SummaryListener;
import io.netty.buffer.Unpooled;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A project that depends on an adapter only gets the summary at the end of a run, and its listener announces tests. */
class SummaryOfRunTests {

    @Test
    void theLauncherFindsItsListenerOnce() {
        assertThat(ServiceLoader.load(TestExecutionListener.class))
                .filteredOn(SummaryListener.class::isInstance)
                .hasSize(1);
    }

    /** Only one method of the class is tracked: its helper thread works for it. */
    @Test
    void anAnnouncedTestWithAnAnnotationOfItsOwnIsTracked() {
        SummaryGeneratingListener results = new SummaryGeneratingListener();

        LauncherFactory.create(LauncherConfig.builder()
                        .enableTestExecutionListenerAutoRegistration(false)
                        .addTestExecutionListeners(SummaryListener.to(summary -> {}), results)
                        .build())
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(OneMethodTestCase.class))
                        .configurationParameter("meshguard.page", "off")
                        .build());

        assertThat(results.getSummary().getFailures())
                .extracting(failure -> failure.getTestIdentifier().getDisplayName())
                .containsExactly("leaksOnAThread()");
    }

    static class OneMethodTestCase {

        @Test
        @TrackAllocations
        void leaksOnAThread() throws Exception {
            Thread thread = new Thread(SummaryOfRunTests::leak);
            thread.start();
            thread.join();
        }
    }

    private static void leak() {
        Unpooled.directBuffer(64);
    }
}
