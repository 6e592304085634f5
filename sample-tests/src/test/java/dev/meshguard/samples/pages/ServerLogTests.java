package dev.meshguard.samples.pages;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A log that an allocation server wrote. */
class ServerLogTests {

    private static final Path FOLDER = Path.of("src/test/resources/dev/meshguard/samples/pages");

    @Test
    void isJudgedLikeATest() throws IOException {
        // region: read
        ParsedLog log = AllocationLogReader.create().read(FOLDER.resolve("server.log"));

        assertThat(log).noLeaks().hasBalancedReports();
        // end region
    }
}
