package dev.meshguard.junit.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestExecutionListener;

/** The summary listener is registered by the artifact alone. */
class SummaryRegistrationTests {

    @Test
    void theLauncherFindsTheListener() {
        assertThat(ServiceLoader.load(TestExecutionListener.class)).hasAtLeastOneElementOfType(SummaryListener.class);
    }

    @Test
    void noModuleOfTheRunHasTheListener() {
        assertThat(SummaryListener.class.getModule().isNamed()).isFalse();
    }
}
