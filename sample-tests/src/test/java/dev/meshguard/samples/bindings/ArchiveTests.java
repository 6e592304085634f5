package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/**
 * Objects of the JDK and of the project are closed, although the code that constructs them knows no test; the whole message of
 * {@link ArchiveTestCase} is in {@code docs/closeables.md}.
 */
@TrackAllocations
@TrackCloseables({Deflater.class, DeflaterOutputStream.class, Archive.class})
class ArchiveTests {

    @Test
    void endsWhatItConstructs() throws IOException {
        try (Archive archive = new MendedArchive()) {
            assertThat(archive.pack(new byte[4096])).hasSizeLessThan(4096);
        }
    }
}
