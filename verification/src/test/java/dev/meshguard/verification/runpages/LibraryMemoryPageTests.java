package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page of memory that belongs to no device, as that of a Java library. */
@InChromium
class LibraryMemoryPageTests {

    @Test
    void namesTheMemoryAndNoDevice(Chromium chromium) {
        chromium.open(page());

        assertThat(chromium.text("#headline")).startsWith("192 B of Netty memory in 2 buffers were never released");
        assertThat(chromium.text("body"))
                .contains("Netty memory")
                .doesNotContain(String.valueOf(HistoryEvent.NO_DEVICE), "device 0", "0 devices", "1×1 mesh");
        assertThat(chromium.texts("#views a")).contains("Live bytes").doesNotContain("Address space", "Mesh");
    }

    @Test
    void countsObjectsByTheirClassAndSaysNoSize(Chromium chromium) {
        AllocationTracker tracker = trackerOf(SourceVocabulary.ofObjects("RocksIterator"));
        lease(tracker, 0);
        lease(tracker, 0);
        lease(tracker, 0).freed();
        tracker.checked();

        chromium.open(SampleRun.of("objects", tracker).file());

        assertThat(chromium.text("#largest .what")).isEqualTo("2 RocksIterator");
        assertThat(chromium.text("#causes")).isEqualTo("UNEXPLAINED 1 finding · 2 RocksIterator");
        assertThat(chromium.texts("#views a")).doesNotContain("Live bytes", "Address space", "Mesh");
        assertThat(chromium.text("body")).doesNotContainPattern("\\b0 B\\b");
    }

    private static Path page() {
        AllocationTracker tracker =
                trackerOf(SourceVocabulary.of("Netty memory").freedBy("release", "released"));
        lease(tracker, 64);
        lease(tracker, 128);
        lease(tracker, 256).freed();
        tracker.checked();
        return SampleRun.of("library", tracker).file();
    }

    private static AllocationTracker trackerOf(SourceVocabulary words) {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.sourceAttached(SourceDescription.of("library").speaking(words));
        return tracker;
    }

    private static Lease lease(AllocationTracker tracker, long bytes) {
        return tracker.lease(
                AllocationDetails.user().fromSource("library"), OriginFilter.none(), BufferType.SYSTEM_MEMORY, bytes);
    }
}
