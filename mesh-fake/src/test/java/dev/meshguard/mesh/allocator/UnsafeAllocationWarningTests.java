package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UnsafeAllocationWarningTests {

    private static final String TEXT = "Allocating device buffers is unsafe due to the existence of an active trace."
            + " These buffers may be corrupted once a trace is executed.";

    private final List<String> given = Collections.synchronizedList(new ArrayList<>());
    private final UnsafeAllocationWarning warning = UnsafeAllocationWarning.to(given::add);

    @Test
    void isGivenOnceToAThread() {
        warning.warnThisThread();
        warning.warnThisThread();

        assertThat(given).containsExactly(TEXT);
    }

    @Test
    void canGoToTheLogOfTheAllocator() {
        var logger = (Logger) LoggerFactory.getLogger(Allocator.class);
        var appender = new ListAppender<ILoggingEvent>();
        appender.start();
        logger.addAppender(appender);

        UnsafeAllocationWarning.toLog().warnThisThread();

        logger.detachAppender(appender);
        assertThat(appender.list).hasToString("[[WARN] " + TEXT + "]");
    }

    @Test
    void isGivenToEachThread() throws InterruptedException {
        warning.warnThisThread();

        var other = new Thread(warning::warnThisThread);
        other.start();
        other.join();

        assertThat(given).containsExactly(TEXT, TEXT);
    }
}
