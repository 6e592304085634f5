package dev.meshguard.samples.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.samples.support.Fixture;
import java.io.IOException;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

/** The archive is closed, and what it constructed is not. */
@Fixture
// region: leaking-test
@TrackAllocations
@TrackCloseables({Deflater.class, Archive.class})
class ArchiveTestCase {

    private final Archive archive = new Archive();

    @Test
    void packs() throws IOException {
        try (archive) {
            assertThat(archive.pack(new byte[4096])).hasSizeLessThan(4096);
        }
    }
}
// end region
