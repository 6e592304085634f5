package dev.meshguard.page.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.meshguard.event.BufferType;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingRecord;
import dev.meshguard.report.findings.FindingsJson;
import dev.meshguard.report.findings.RunIdentity;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The overview compares the runs of many machines by the files of findings that were copied below its folder. */
class ManyMachinesTests {

    @TempDir
    private Path folder;

    @Test
    void namesNewAndGoneFindingsOfAllMachines() throws IOException {
        write(1, "a", check("T#gone", leak("f1", 64)), check("T#breaks"));
        write(1, "b", check("T#other"));
        write(2, "a", check("T#gone"));
        write(2, "b", check("T#breaks", leak("f2", 32)));

        assertThat(trend("f1")).isEqualTo("[64,0] gone");
        assertThat(trend("f2")).isEqualTo("[null,32] new");
        assertThat(data().at("/trends/since").textValue()).isEqualTo("2026-11-22 14:01");
    }

    @Test
    void aFindingOfOneTestOnTwoMachinesCountsOnce() throws IOException {
        write(1, "a", check("T#a", leak("f1", 64)), check("T#b", leak("f1", 8)));
        write(1, "b", check("T#a", leak("f1", 16)));

        assertThat(trend("f1")).isEqualTo("[72]");
    }

    @Test
    void aTestThatDidNotRunClaimsNothing() throws IOException {
        write(1, "a", check("T#a", leak("f1", 64)));
        write(2, "a", check("T#b"));

        assertThat(trend("f1")).isEqualTo("[64,null]");
    }

    @Test
    void expectedFindingsAreLeftOut() throws IOException {
        write(1, "a", check("T#a", finding("f1", "EXPECTED", 64)));

        assertThat(data().at("/trends/findings")).isEmpty();
    }

    @Test
    void theCutLineOfAKilledJvmIsNoDamage() throws IOException {
        Path file = write(1, "a", check("T#a", leak("f1", 64)));
        Files.writeString(file, Files.readString(file) + "{\"schema\":1,\"kind\":\"chec");

        assertThat(trend("f1")).isEqualTo("[64]");
        assertThat(data().at("/warnings")).isEmpty();
    }

    @Test
    void aDamagedFileAndOneOfAnotherVersionAreNamed() throws IOException {
        Path damaged = write(1, "a", check("T#a", leak("f1", 64)));
        Files.writeString(damaged, Files.readString(damaged) + "{]\n");
        Files.writeString(folder.resolve("findings-new.jsonl"), "{\"schema\":2,\"kind\":\"run\"}\n");

        assertThat(trend("f1")).isEqualTo("[64]");
        assertThat(data().at("/warnings").toString())
                .contains("findings-a-1.jsonl is not read to its end: it is damaged.")
                .contains("findings-new.jsonl is not read to its end: a line is not of version 1.");
    }

    @Test
    void theLastThirtyRunsAreCompared() throws IOException {
        for (int run = 0; run < 40; run++) {
            write(run, "a", check("T#a", leak("f1", 64)));
        }

        assertThat(data().at("/trends/runs")).hasSize(30);
        assertThat(data().at("/trends/runs/0/at").textValue()).isEqualTo("2026-11-22 14:10");
    }

    @Test
    void runsThatWereComparedInTheFolderItselfComeFirst() throws IOException {
        write(1, "a", check("T#a", leak("f1", 64)));
        SuiteFolder.at(folder).compare(at(5).atZone(ZoneId.systemDefault()).toInstant(), "build", Set.of("t"));

        assertThat(data().at("/trends/runs/0/at").textValue()).isEqualTo("2026-11-22 14:05");
        assertThat(data().at("/trends/findings")).isEmpty();
    }

    private Path write(int run, String machine, CheckRecord... checks) throws IOException {
        FindingsJson json = new FindingsJson(new RunIdentity(
                "run " + run,
                machine + "-" + run,
                at(run).atZone(ZoneId.systemDefault()).toInstant(),
                Optional.empty(),
                Optional.of(machine)));
        List<String> lines = new ArrayList<>(List.of(json.begin()));
        for (CheckRecord check : checks) {
            lines.add(json.check(check));
        }
        Path copied = Files.createDirectories(folder.resolve(machine));
        return Files.writeString(copied.resolve("findings-" + machine + "-" + run + ".jsonl"), String.join("", lines));
    }

    private static LocalDateTime at(int minute) {
        return LocalDateTime.of(2026, 11, 22, 14, minute);
    }

    private static CheckRecord check(String test, FindingRecord... findings) {
        return new CheckRecord(test, "TEST", Optional.of("mesh"), Outcome.LEAK_FREE, "HELD", true, List.of(findings));
    }

    private static FindingRecord leak(String fingerprint, long bytes) {
        return finding(fingerprint, "LEAKED", bytes);
    }

    private static FindingRecord finding(String fingerprint, String status, long bytes) {
        return new FindingRecord(
                fingerprint,
                "HELD",
                status,
                BufferType.DRAM,
                Optional.of("T.t(" + fingerprint + ".java:1)"),
                false,
                1,
                bytes);
    }

    private String trend(String fingerprint) throws IOException {
        return SuitePage.trend(folder, fingerprint);
    }

    private JsonNode data() throws IOException {
        return SuitePage.data(folder);
    }
}
