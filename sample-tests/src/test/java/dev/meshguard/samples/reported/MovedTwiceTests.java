package dev.meshguard.samples.reported;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A free by address that hits the next owner of the memory: both lines, and which programs do no harm. */
@TestInstance(Lifecycle.PER_CLASS) // The programs run once.
class MovedTwiceTests {

    private final Map<String, Optional<Throwable>> failures = Fixtures.run(MovedTwiceTestCase.class);

    @Test
    void namesTheBufferWhoseMemoryWasFreedUnderIt() {
        assertThat(failures.get("movesTwice").orElseThrow()).hasMessage("""
                MISREPORTED  no memory leaked; 1 free of another buffer's memory

                1. memory freed by address under its buffer: L1 0x16d800 (1497088) on device 0 (event #16)
                   at dev.meshguard.samples.reported.MovedTwiceTestCase.movesTwice(MovedTwiceTestCase.java:22)
                   why   the buffer, 128 KiB (131072 B), allocated at event #10 and freed by address at event #11, was freed by its own
                         handle too, and by then another buffer had the memory: one of the two frees hits a buffer in use
                   seen  allocated at dev.meshguard.samples.reported.MovedTwiceTestCase.moved(MovedTwiceTestCase.java:65)
                   fix   Free memory once: by its address, or through its handle if nobody freed the address.

                note    second free, ignored by the runtime, once; the first at event #15: L1 0x16d800 (1497088) on device 0
                note    free of an unknown address, ignored by the runtime, once; the first at event #14: L1 0x16d000 (1495040) on
                        device 0
                note    mesh 0 was still open; MeshGuard cleared its program cache and closed it
                sum     4 allocated = 4 freed
                rerun   mvn test -Dtest=MovedTwiceTestCase#movesTwice""");
    }

    @Test
    void doesNotBlameAFreeThatHitsNoOtherBuffer() {
        assertThat(failures).hasSize(4);
        assertThat(failures.get("movesTwiceAndFreesOnce")).isEmpty();
        assertThat(failures.get("freesByAddressOnly")).isEmpty();
        assertThat(failures.get("freesAHandleTwice")).isEmpty();
    }
}
