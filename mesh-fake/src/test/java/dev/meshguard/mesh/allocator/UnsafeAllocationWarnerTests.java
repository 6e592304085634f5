package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.mesh.LoggedLines;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnsafeAllocationWarnerTests {

    private static final String TEXT = "Allocating device buffers is unsafe due to the existence of an active trace."
            + " These buffers may be corrupted once a trace is executed.";

    private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
    private final UnsafeAllocationWarner warning = UnsafeAllocationWarner.to(warnings::add);

    @Test
    void isGivenOnceToEachThread() throws InterruptedException {
        warning.warnThisThread();
        warning.warnThisThread();

        var other = new Thread(warning::warnThisThread);
        other.start();
        other.join();

        assertThat(warnings).containsExactly(TEXT, TEXT);
    }

    @Test
    void canGoToTheLogOfTheAllocator() {
        try (var log = LoggedLines.of(Allocator.class)) {
            UnsafeAllocationWarner.toLog().warnThisThread();

            assertThat(log.all()).containsExactly("WARN " + TEXT);
        }
    }
}
