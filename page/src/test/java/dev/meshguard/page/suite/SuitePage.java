package dev.meshguard.page.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.page.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The overview page of a folder, written anew and read. */
final class SuitePage {

    private static final ObjectMapper JSON = new ObjectMapper();

    private SuitePage() {}

    /** Returns the data of the page. */
    static JsonNode data(Path folder) throws IOException {
        String html = Files.readString(SuiteFolder.at(folder).writeIndex());
        return JSON.readTree(Pages.scripts(html).stream()
                .filter(script -> script.attributes().contains("id=\"data\""))
                .findFirst()
                .orElseThrow()
                .text());
    }

    /** Returns the bytes of a finding over the runs, and whether it is new or gone; empty if it has no trend. */
    static String trend(Path folder, String fingerprint) throws IOException {
        for (JsonNode finding : data(folder).at("/trends/findings")) {
            if (finding.get("fingerprint").textValue().equals(fingerprint)) {
                return finding.get("bytes")
                        + (finding.has("isNew") ? " new" : "")
                        + (finding.has("isGone") ? " gone" : "");
            }
        }
        return "";
    }
}
