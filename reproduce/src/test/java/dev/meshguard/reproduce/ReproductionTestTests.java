package dev.meshguard.reproduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Retention;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ReproductionTestTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Test
    void whatIsWrongWithReportsIsReportedAgain() {
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled("kv-cache"));
        tracker.allocated(request, 3, BufferType.DRAM, 0x3ffff800L, 2_097_152, Ownership.OWNING);
        tracker.allocated(request, 3, BufferType.DRAM, 0x3ffff800L, 2_097_152, Ownership.NON_OWNING);
        tracker.freed(3, BufferType.DRAM, 0x3ffff800L);
        tracker.witnessed(WitnessSnapshot.of(0, WitnessSnapshot.Moment.CLOSE_BEGUN)
                .region(3, BufferType.DRAM)
                .build());

        assertThat(ReproductionTest.of(tracker.history())
                        .inPackage("dev.example")
                        .from("server.log")
                        .source())
                .isEqualTo("""
                        package dev.example;

                        import static dev.meshguard.assertions.LeakAssertions.assertThat;
                        import static dev.meshguard.event.BufferType.DRAM;
                        import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;

                        import dev.meshguard.event.AllocationDetails;
                        import dev.meshguard.event.MemoryRequest;
                        import dev.meshguard.event.Ownership;
                        import dev.meshguard.event.WitnessSnapshot;
                        import dev.meshguard.tracker.AllocationTracker;
                        import org.junit.jupiter.api.Test;

                        /**
                         * MISREPORTED: REPORTED_TWICE. Found in server.log.
                         *
                         * <p>Report one buffer object per physical allocation, or report the free of every object that was reported; the memory
                         * itself was freed.
                         *
                         * <p>The test reports to a tracker what that run reported; it goes green when the reports are right.
                         */
                        class KvCacheIsReportedTwiceTest {

                            @Test
                            void kvCacheIsReportedTwice() {
                                AllocationTracker tracker = AllocationTracker.create();

                                MemoryRequest kvCache = tracker.request(AllocationDetails.user().labelled("kv-cache"));
                                tracker.allocated(kvCache, 3, DRAM, 0x3ffff800, 2_097_152, Ownership.OWNING);
                                tracker.allocated(kvCache, 3, DRAM, 0x3ffff800, 2_097_152, Ownership.NON_OWNING);
                                tracker.freed(3, DRAM, 0x3ffff800);
                                tracker.witnessed(WitnessSnapshot.of(0, CLOSE_BEGUN).region(3, DRAM).build());

                                assertThat(tracker).noLeaks().hasBalancedReports();
                            }
                        }
                        """);
    }

    @Test
    void whatCodeKeepsIsTakenFromAMeshAgain() {
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled("kv-cache"));
        tracker.allocated(request, 2, BufferType.DRAM, 0x1000, 1_024, Ownership.NON_OWNING);
        tracker.allocated(request, 5, BufferType.DRAM, 0x1000, 1_024, Ownership.NON_OWNING);
        tracker.traced(request, Reachability.held());

        assertThat(ReproductionTest.of(tracker.history()).source()).isEqualTo("""
                        import static dev.meshguard.event.BufferType.DRAM;

                        import dev.meshguard.junit.TrackAllocations;
                        import dev.meshguard.junit.mesh.FakeMesh;
                        import dev.meshguard.mesh.MeshDevice;
                        import dev.meshguard.mesh.buffer.BufferConfig;
                        import dev.meshguard.mesh.buffer.MeshBufferConfig;
                        import java.util.ArrayList;
                        import java.util.List;
                        import org.junit.jupiter.api.Test;

                        /**
                         * LEAKED: HELD.
                         *
                         * <p>Free the buffer before close_mesh_device, or drop the reference if the handle frees on collection.
                         *
                         * <p>The test allocates as that run did, on a mesh without hardware; it passes when it frees everything. Device 2 there
                         * is device 0 here, device 5 there is device 1 here.
                         */
                        @TrackAllocations
                        @FakeMesh(rows = 1, columns = 2)
                        class KvCacheIsHeldTest {

                            private final List<Object> cache = new ArrayList<>();

                            @Test
                            void kvCacheIsHeld(MeshDevice mesh) {
                                cache.add(mesh.allocate(MeshBufferConfig.replicated(BufferConfig.of(DRAM, 1024, 1024).named("kv-cache"))));
                            }
                        }
                        """);
    }

    @Test
    void whatCodeKeepsIsReportedAgainIfThatIsAskedFor() {
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 1_024, Ownership.UNKNOWN);
        tracker.traced(request, Reachability.heldBy(List.of("KvCacheTest.cache", "ArrayList[0]")));

        assertThat(ReproductionTest.of(tracker.history()).onTracker().source())
                .contains(
                        "tracker.traced(request, Reachability.heldBy(List.of(\"KvCacheTest.cache\", \"ArrayList[0]\")));");
    }

    @Test
    void labelsStayTextWhateverTheyHold() {
        String label = "\"); System.exit(1); // \\u0022 \" */ \n\r\t \u2028 \uD800 ключ";
        tracker.label(label, () -> tracker.allocated(0, BufferType.DRAM, 0x1000, 64));

        assertThat(ReproductionTest.of(tracker.history())
                        .from("a */ path \\u002a/ with <b>&{@code}")
                        .source())
                .contains(".labelled(\"\\\"); System.exit(1); // \\\\u0022 \\\" */ \\n\\r\\t \\u2028 \\ud800"
                        + " \\u043a\\u043b\\u044e\\u0447\")")
                .contains("Found in a ?? path ?u002a? with ?b????code?.")
                .contains("class SystemExit1U0022IsNeverFreedTest {");
    }

    @Test
    void labelsWithoutALetterOfANameAreLeftOutOfNames() {
        tracker.label("ключ 7", () -> tracker.allocated(0, BufferType.L1_SMALL, 0x1000, 64));

        assertThat(ReproductionTest.of(tracker.history()).className()).isEqualTo("L1SmallBufferIsNeverFreedTest");
    }

    @Test
    void labelsThatAreWordsOfTheLanguageAreNoNames() {
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled("class"));
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);

        assertThat(ReproductionTest.of(tracker.history()).source())
                .contains("MemoryRequest classBuffer = tracker.request(AllocationDetails.user().labelled(\"class\"));")
                .contains("class ClassIsNeverFreedTest {");
    }

    @Test
    void theSourceIsTheSameInEveryLocale() {
        tracker.label("TITLE I", () -> tracker.allocated(0, BufferType.L1, 0x1000, 1_234_567));
        String expected = ReproductionTest.of(tracker.history()).source();
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(ReproductionTest.of(tracker.history()).source()).isEqualTo(expected);
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertThat(ReproductionTest.of(tracker.history()).source()).isEqualTo(expected);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void rejectsACleanHistory() {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(0, BufferType.DRAM, 0x1000);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReproductionTest.of(tracker.history()))
                .withMessage(
                        "Nothing is wrong with this history (LEAK_FREE), so there is no test to write. Give one whose"
                                + " verdict fails.");
    }

    @Test
    void rejectsAHistoryWithoutAPast() {
        AllocationTracker forgetful =
                AllocationTracker.builder().retention(Retention.LIVE_AND_TOTALS).build();
        forgetful.allocated(0, BufferType.DRAM, 0x1000, 64);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReproductionTest.of(forgetful.history()))
                .withMessage(
                        "This history holds only what was still allocated and sums, and no test can reproduce those. Record it"
                                + " with Retention.ALL.");
    }

    @Test
    void rejectsAnInvalidName() {
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        ReproductionTest test = ReproductionTest.of(tracker.history());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> test.inPackage("dev.new"))
                .withMessage("\"dev.new\" is no name of a package. Give one like dev.example.leaks.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> test.named("Kv-Cache"))
                .withMessage("\"Kv-Cache\" is no name of a class. Give one like DramBufferIsNeverFreedTest.");
    }
}
