package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;
import org.mockito.exceptions.misusing.UnnecessaryStubbingException;

/** Tests the failures of tests whose device is a mock. */
class MockedDeviceTests {

    @Test
    void aMockThatAllocatesAddressesNamesTheLineThatForgotOne() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.UploadTestCase.class))
                .satisfies(Fixtures.message("""
                LEAK  1 leak · 1 buffer · 64 KiB (65536 B) still allocated      [2 allocated = 1 freed + 1 leaked]
                1. DRAM 64 KiB (65536 B) x 1   device ●   UNEXPLAINED: no free was reported
                   -> at dev.meshguard.samples.bindings.MockedDeviceTestCases.upload(MockedDeviceTestCases.java:39)
                   allocated in TEST ({last allocated}) at 0x2000 (8192), unlabelled

                Tracked  allocated                    remaining
                DRAM     2 buffers, 68 KiB (69632 B)  1 buffer, 64 KiB (65536 B)
                Teardown  freed                   remaining
                TEST      DRAM 4 KiB on device 1  DRAM 64 KiB on device 1
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  68 KiB -> 64 KiB

                UNEXPLAINED: Free the buffer before the program ends.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 1, size = 65536, atMost = 1, origin = "MockedDeviceTestCases.upload", because = "…")
                   as a line of a file: DRAM device 1 size 65536 count atMost 1 origin "MockedDeviceTestCases.upload" because "…"
                Reproduce: mvn test -Dtest='MockedDeviceTestCases$UploadTestCase#uploads'"""));
    }

    @Test
    void aMockThatAllocatesHandlesNamesTheFieldThatKeepsOne() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.DecodeTestCase.class))
                .satisfies(Fixtures.message("""
                LEAK  1 leak · 1 buffer · 8 KiB (8192 B) still allocated      [2 allocated = 1 freed + 1 leaked]
                1. DRAM 8 KiB (8192 B) x 1   device ●   HELD: still referenced by DecodeTestCase.keys ({handle traced})
                   -> at dev.meshguard.samples.bindings.MockedDeviceTestCases$DecodeTestCase.decodes(MockedDeviceTestCases.java:82)
                   allocated in TEST ({last allocated}) at 0x2000 (8192), unlabelled

                Tracked  allocated                    remaining
                DRAM     2 buffers, 12 KiB (12288 B)  1 buffer, 8 KiB (8192 B)
                Teardown  freed                   remaining
                TEST      DRAM 4 KiB on device 0  DRAM 8 KiB on device 0
                Timeline  live bytes, peak of the phase     peak -> end
                TEST      |##############################|  12 KiB -> 8 KiB

                HELD: Free the buffer before the program ends, or drop the reference if the handle frees on collection.
                To expect a buffer (narrowest first):
                   @ExpectBuffers(type = DRAM, device = 0, size = 8192, atMost = 1, origin = "MockedDeviceTestCases$DecodeTestCase.decodes", because = "…")
                   as a line of a file: DRAM device 0 size 8192 count atMost 1 origin "MockedDeviceTestCases$DecodeTestCase.decodes" because "…"
                Reproduce: mvn test -Dtest='MockedDeviceTestCases$DecodeTestCase#decodes'"""));
    }

    @Test
    void aMockThatIsListenedToIsJudgedLikeOneThatReports() {
        Throwable reporting = Fixtures.failureOf(MockedDeviceTestCases.UploadTestCase.class);

        assertThat(Fixtures.failureOf(MockedDeviceTestCases.ListenedTestCase.class))
                .satisfies(Fixtures.message(reporting
                        .getMessage()
                        .replace("$UploadTestCase", "$ListenedTestCase")
                        .replaceFirst("event #\\d+", "{last allocated}")));
    }

    @Test
    void reportsBothStrictStubsAndTheLeak() {
        Throwable failure = Fixtures.failureOf(MockedDeviceTestCases.UnusedStubbingTestCase.class);

        assertThat(failure).isInstanceOf(UnnecessaryStubbingException.class);
        assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LeakAssertionError.class);
    }
}
