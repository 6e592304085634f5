package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import org.junit.jupiter.api.Test;

/** Tests the failure of a test whose device is a mock. */
class MockedDeviceTests {

    @Test
    void aMockThatAllocatesAddressesNamesTheLineThatForgotOne() {
        assertThat(Fixtures.failureOf(MockedDeviceTestCases.UploadTestCase.class))
                .satisfies(Fixtures.message("""
                LEAK  64 KiB in 1 DRAM buffer was never freed; allocated in MockedDeviceTestCases.java:38

                1. DRAM  64 KiB on device 1
                   at dev.meshguard.samples.bindings.MockedDeviceTestCases.upload(MockedDeviceTestCases.java:38)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before the program ends.
                   seen  allocated in TEST ({last allocated})

                limits  no allocator snapshot: rests on the reports alone
                sum     2 allocated = 1 freed + 1 leaked
                expect  @ExpectBuffers(type = DRAM, device = 1, size = 65536, atMost = 1, origin = "MockedDeviceTestCases.upload", because = "…")
                rerun   mvn test -Dtest='MockedDeviceTestCases$UploadTestCase#uploads'"""));
    }
}
