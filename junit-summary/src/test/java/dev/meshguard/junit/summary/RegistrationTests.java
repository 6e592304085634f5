package dev.meshguard.junit.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestExecutionListener;

/** Whoever has the artifact has the summary. */
class RegistrationTests {

    @Test
    void theLauncherFindsTheListener() {
        assertThat(ServiceLoader.load(TestExecutionListener.class)).hasAtLeastOneElementOfType(SummaryListener.class);
    }

    @Test
    void noModuleOfTheRunHasTheListener() {
        assertThat(SummaryListener.class.getModule().isNamed()).isFalse();
    }
}
