package dev.meshguard.samples.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.reproduce.ReproductionTest;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.samples.support.WrittenSources;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Survivor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a generated test contains the same text for any label or file name. */
class ReproducedLabelsTests {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"); System.exit(1); //",
                "\\u0022); System.exit(1); //",
                "\\\\u0022",
                "*/ class Other {} /*",
                "two\nlines\r\nand\ta tab",
                "\u2028\u2029\u0085\u0000\u001b[31m",
                "\uD83D\uDE80 ключ ığüşİI",
                "\uFEFF\u202Eright to left",
                "class",
                "tracker",
                "mesh",
                "cache",
                "7",
                "${jndi:ldap://nowhere}%s%n"
            })
    void staysTheSameText(String label) throws Exception {
        AllocationTracker tracker = AllocationTracker.create();
        MemoryRequest request = tracker.request(AllocationDetails.user().labelled(label));
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);
        tracker.traced(request, Reachability.held());
        ReproductionTest test = ReproductionTest.of(tracker.history()).from(label);

        for (ReproductionTest form : List.of(test, test.onTracker().named("Reports"))) {
            assertThat(survivorsOf(form))
                    .extracting(survivor -> survivor.buffer().label().orElse(""))
                    .containsExactly(label);
        }
    }

    @Test
    void staysTheSameTextHoweverLongItIs() throws Exception {
        staysTheSameText("ab".repeat(50_000));
        staysTheSameText("\uD83D\uDE80\u0000漢".repeat(25_000));
    }

    @ParameterizedTest
    @EnumSource(
            value = BufferType.class,
            names = {"DRAM", "L1", "TRACE"})
    void whatIsTakenFromAMeshIsOfTheSameMemory(BufferType type) throws Exception {
        AllocationTracker tracker = AllocationTracker.create();
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, type, 0x1000, 8_192, Ownership.UNKNOWN);
        tracker.traced(request, Reachability.lost());

        ReproductionTest test = ReproductionTest.of(tracker.history());

        assertThat(test.source()).contains("mesh.allocateOn(");
        assertThat(survivorsOf(test))
                .extracting(survivor -> survivor.buffer().type())
                .containsExactly(type);
    }

    private List<Survivor> survivorsOf(ReproductionTest test) throws Exception {
        try (WrittenSources sources = new WrittenSources(folder)) {
            sources.add("", test.className(), test.source());
            assertThat(sources.compile()).isEmpty();
            Throwable failure = Fixtures.failureOf(sources.load(test.className()));
            assertThat(failure).isInstanceOf(LeakAssertionError.class);
            return ((LeakAssertionError) failure).verdict().survivors();
        }
    }
}
