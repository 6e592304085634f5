package dev.meshguard.report.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.random.RandomHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerdictJsonTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void saysWhatTheTextSaysAndWhatWasNotedOnIt() {
        tracker.freed(0, BufferType.DRAM, 64);
        VerdictReport report =
                report().noting("JUnit closed mesh 0").reproducedBy("mvn test -Dtest=KvCacheTest#decode");

        String document = VerdictJson.text(report);

        assertThat(document).contains("\"JUnit closed mesh 0\"", "\"mvn test -Dtest=KvCacheTest#decode\"");
        assertThat(report.text().lines())
                .allSatisfy(line -> assertThat(document).contains("\"" + line + "\""));
    }

    @Test
    void isAsItsSchemaSaysWhateverWasJudged() {
        long seed = Long.getLong("meshguard.seed", new Random().nextLong());
        Random random = new Random(seed);
        JsonSchemas schema = JsonSchemas.ofVerdict();
        for (int run = 0; run < 60; run++) {
            AllocationHistory history = RandomHistory.of(random, 150);
            String document =
                    VerdictJson.text(VerdictReport.of(LeakCheck.create().examine(history)));

            assertThat(schema.faultsOf(document))
                    .as(() -> document + " repeat with -Dmeshguard.seed=" + seed)
                    .isEmpty();
        }
    }

    @Test
    void hasTheShortageByWhichTheTestFailed() {
        MemoryRequest cache =
                MemoryRequest.of(AllocationDetails.user().labelled("kv-cache").ownedBy(Owner.program("1 (add)")));
        MemoryShortage shortage = MemoryShortage.anywhere(
                BufferType.L1, 512, 0, 1_024, List.of(new MemoryShortage.Block(268, 780, Optional.of(cache))));

        String document = VerdictJson.text(report().failedBy(shortage));

        assertThat(JsonSchemas.ofVerdict().faultsOf(document)).isEmpty();
        assertThat(document.substring(document.indexOf("  \"shortage\""), document.indexOf("  \"caveats\"")))
                .startsWith("""
                          "shortage" : {
                            "type" : "L1",
                            "reason" : "FRAGMENTED",
                            "neededBytes" : 512,
                            "freeBytes" : 512,
                            "largestFreeBytes" : 268,
                            "holders" : [
                              {
                                "text" : "1 buffer, label \\"kv-cache\\", owner program 1 (add)",
                                "buffers" : 1,
                                "bytes" : 512,
                                "label" : "kv-cache",
                        """)
                .contains("""
                            "room" : {
                              "start" : 0,
                              "end" : 1024,
                              "bytes" : 512,
                        """);
    }

    @Test
    void makesTheCaveatsData() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.reportsLost(3, "the socket was full");
        tracker.allocated(0, BufferType.DRAM, 64, 64);

        String document = VerdictJson.text(report());

        assertThat(document.substring(document.indexOf("  \"caveats\""), document.indexOf("  \"report\"")))
                .isEqualTo("""
                  "caveats" : [
                    {
                      "kind" : "MESH_OPEN",
                      "makesInconclusive" : true,
                      "text" : "Mesh 0 (1x1 mesh) is still open, so its buffers may still be freed. Close it before the check.",
                      "events" : [ ]
                    },
                    {
                      "kind" : "REPORTS_LOST",
                      "makesInconclusive" : true,
                      "text" : "3 reports are missing (event #2: the socket was full).",
                      "events" : [
                        2
                      ]
                    },
                    {
                      "kind" : "SIZES_AS_REPORTED",
                      "makesInconclusive" : false,
                      "text" : "Sizes are those that were reported. An allocator sets aside whole pages in every bank, so it holds more.",
                      "events" : [ ]
                    },
                    {
                      "kind" : "NO_WITNESS",
                      "makesInconclusive" : false,
                      "text" : "No allocator was read, so the findings rest on the reports alone.",
                      "events" : [ ]
                    },
                    {
                      "kind" : "ORIGINS_NOT_CAPTURED",
                      "makesInconclusive" : false,
                      "text" : "Where 1 buffer of the survivors was allocated is not known, because no origin was captured.",
                      "events" : [ ]
                    }
                  ],
                """);
    }

    @Test
    void namesTheAllocatorOfEachBufferWhereItIsKnown() {
        AllocationHistory history = HistoryScript.historyOf("""
                allocate L1 0x1000 on 0, allocator MESH; allocate L1 0x2000 on 0, allocator DEVICE;
                allocate L1 0x3000 on 0, allocator SUB_DEVICE 1 of 3; allocate L1 0x4000 on 0
                """);

        String document = VerdictJson.text(VerdictReport.of(LeakCheck.create().examine(history)));

        assertThat(buffer(document, 0x1000))
                .contains("\"allocator\" : \"MESH\"")
                .doesNotContain("manager");
        assertThat(buffer(document, 0x2000))
                .contains("\"allocator\" : \"DEVICE\"")
                .doesNotContain("manager");
        assertThat(buffer(document, 0x3000))
                .contains("\"allocator\" : \"SUB_DEVICE\"", "\"manager\" : 3", "\"subDevice\" : 1");
        assertThat(buffer(document, 0x4000)).doesNotContain("allocator");
        assertThat(JsonSchemas.ofVerdict().faultsOf(document)).isEmpty();
    }

    /** Returns the fields of a buffer from its address to its reports. */
    private static String buffer(String document, long address) {
        int start = document.indexOf("\"address\" : " + address + ",");
        return document.substring(start, document.indexOf("openReports", start));
    }

    @Test
    void isUtf8InAFileWhateverTheDefaultIs(@TempDir Path folder) throws IOException {
        tracker.reportsLost(1, "Gözleme ●");
        Path file = folder.resolve("verdict.json");

        VerdictJson.write(report(), file);

        assertThat(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)).isEqualTo(VerdictJson.text(report()));
    }

    private VerdictReport report() {
        return VerdictReport.of(LeakCheck.create().examine(tracker.history()));
    }
}
