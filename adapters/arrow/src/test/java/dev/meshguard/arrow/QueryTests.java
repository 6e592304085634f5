package dev.meshguard.arrow;

import static dev.meshguard.junit.testkit.JupiterRun.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The failure that docs/netty.md shows. */
class QueryTests {

    @Test
    void namesTheLineTheAllocatorAndTheVector() {
        assertThat(failuresOf(QueryTestCase.class)).containsExactly("""
                LEAK  8 KiB of Arrow memory in 1 buffer, HELD by QueryTestCase.scores; allocated in QueryTestCase.java:17

                1. Arrow memory  8 KiB, label "query"
                   at dev.meshguard.arrow.QueryTestCase.scoresEachRow(QueryTestCase.java:17)
                   why   HELD: still referenced by QueryTestCase.scores (event #7)
                   fix   Close the buffer before the test ends.
                   seen  allocated in TEST (event #4)

                note    the allocator "query" was created at dev.meshguard.arrow.QueryTestCase.scoresEachRow(QueryTestCase.java:16)
                note    Arrow's allocator counts 8 KiB (8192 B) still allocated
                sum     1 allocated = 0 freed + 1 leaked
                expect  @ExpectBuffers(size = 8192, atMost = 1, label = "query", origin = "QueryTestCase.scoresEachRow", because = "…")
                rerun   mvn test -Dtest=QueryTestCase#scoresEachRow""");
    }
}
