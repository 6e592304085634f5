package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixtures;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Objects of the JDK and of the project are closed, although the code that constructs them knows no test. */
@TrackAllocations
@TrackCloseables({Deflater.class, DeflaterOutputStream.class, Archive.class})
class ArchiveTests {

    @Test
    void endsWhatItConstructs() throws IOException {
        try (Archive archive = new MendedArchive()) {
            assertThat(archive.pack(new byte[4096])).hasSizeLessThan(4096);
        }
    }

    @Test
    void aDeflaterThatNoStreamEndsLeaks() {
        assertThat(Fixtures.failureOf(ArchiveTestCase.class)).satisfies(Fixtures.message("""
                LEAK  1 Deflater, HELD by Archive.deflater; constructed in Archive.java:13

                1. 1 Deflater
                   at dev.meshguard.samples.bindings.Archive.<init>(Archive.java:13)
                   at dev.meshguard.samples.bindings.ArchiveTestCase.<init>(ArchiveTestCase.java:19)
                   why   HELD: still referenced by ArchiveTestCase.archive -> Archive.deflater (event #12)
                   fix   End the Deflater before the test ends.
                   seen  constructed in START (event #6)

                note    a stream does not call end() of a Deflater or Inflater that was passed to it
                sum     2 constructed = 1 closed + 1 leaked
                expect  @ExpectBuffers(atMost = 1, label = "Deflater", origin = "Archive.<init>", because = "…")
                rerun   mvn test -Dtest=ArchiveTestCase#packs"""));
    }

    @Test
    void anObjectOfASubclassLeaks() {
        assertThat(Fixtures.failureOf(OpenArchiveTestCase.class))
                .hasMessageStartingWith("LEAK  1 MendedArchive, LOST; constructed in OpenArchiveTestCase.java:14");
    }
}
