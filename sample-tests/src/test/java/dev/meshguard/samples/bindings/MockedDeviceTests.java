package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;

/** What tests fail with whose device is a mock. */
class MockedDeviceTests {

    @Test
    void aMockThatLendsAddressesNamesTheLineThatForgotOne() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.UploadTestCase.class)).hasMessage("""
                """);
    }

    @Test
    void aMockThatLendsHandlesNamesTheFieldThatKeepsOne() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.DecodeTestCase.class)).hasMessage("""
                """);
    }

    @Test
    void aMockThatIsListenedToIsJudgedLikeOneThatReports() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.ListenedTestCase.class)).hasMessage("""
                """);
    }

    @Test
    void strictStubsAndTheLeakAreBothTold() {
        Throwable failure = Fixtures.failureOf(MockedDeviceTestCases.UnusedStubbingTestCase.class);

        assertThat(failure).isInstanceOf(UnnecessaryStubbingException.class);
        assertThat(failure.getSuppressed())
                .singleElement()
                .isInstanceOf(LeakAssertionError.class);
    }
}
