package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.leakOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeakAssertionErrorTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @BeforeEach
    void leak() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
    }

    @Test
    void carriesTheVerdict() {
        LeakAssertionError failure = leakOf(() -> assertThat(tracker).noLeaks());

        Assertions.assertThat(failure.verdict().sum().leaked()).isEqualTo(1);
        Assertions.assertThat(failure.isComplete()).isTrue();
    }

    @Test
    void startsAtTheUsersLine() {
        LeakAssertionError failure = leakOf(this::failing);

        Assertions.assertThat(failure.getStackTrace()[0].getMethodName()).isEqualTo("failing");
    }

    @Test
    void keepsAssertJsDescription() {
        LeakAssertionError failure =
                leakOf(() -> assertThat(tracker).as("after decode").noLeaks());

        Assertions.assertThat(failure).hasMessageStartingWith("[after decode] LEAK  ");
    }

    @Test
    void isNotCompleteWithAMessageOfTheUser() {
        LeakAssertionError failure =
                leakOf(() -> assertThat(tracker).withFailMessage("clean up!").noLeaks());

        Assertions.assertThat(failure).hasMessage("clean up!");
        Assertions.assertThat(failure.isComplete()).isFalse();
    }

    @Test
    void aCopyFromAStreamHasTheTextOnly() throws Exception {
        LeakAssertionError failure = leakOf(() -> assertThat(tracker).noLeaks());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(failure);
        }

        LeakAssertionError copy;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            copy = (LeakAssertionError) in.readObject();
        }

        Assertions.assertThat(copy).hasMessage(failure.getMessage());
        Assertions.assertThatIllegalStateException()
                .isThrownBy(copy::verdict)
                .withMessageStartingWith("The verdict exists only in the process that reached it");
    }

    private void failing() {
        assertThat(tracker).noLeaks();
    }
}
