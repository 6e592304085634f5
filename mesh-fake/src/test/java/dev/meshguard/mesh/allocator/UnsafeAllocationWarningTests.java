package dev.meshguard.mesh.allocator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

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
    void isGivenToEachThread() throws InterruptedException {
        warning.warnThisThread();

        var other = new Thread(warning::warnThisThread);
        other.start();
        other.join();

        assertThat(given).containsExactly(TEXT, TEXT);
    }
}
