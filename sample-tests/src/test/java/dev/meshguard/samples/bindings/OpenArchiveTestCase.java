package dev.meshguard.samples.bindings;

import dev.meshguard.closeables.TrackCloseables;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.Test;

/** An archive of a subclass that nobody closes. */
@Fixture
@TrackCloseables(Archive.class)
class OpenArchiveTestCase {

    @Test
    void forgets() {
        new MendedArchive();
    }
}
