package dev.meshguard.event.shortage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.Owner;
import dev.meshguard.event.Owner.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnerNamesTests {

    @Test
    void countOwnersThatDifferOnlyByANumber() {
        assertThat(OwnerNames.of(List.of(
                        Owner.program("1 (add)"),
                        Owner.program("2 (conv2d)"),
                        Owner.program("3 (add)"),
                        Owner.program("3 (add)"),
                        new Owner(Kind.TRACE, "0 of mesh 0"),
                        new Owner(Kind.TRACE, "1 of mesh 0"),
                        new Owner(Kind.OTHER, "global semaphore 4"),
                        new Owner(Kind.OTHER, "global semaphore 5"))))
                .containsExactly("2 programs (add)", "program 2 (conv2d)", "2 traces of mesh 0", "2 global semaphores");
    }

    @Test
    void nameOwnersThatDifferOtherwise() {
        assertThat(OwnerNames.of(List.of(
                        Owner.program("add"),
                        Owner.program("matmul"),
                        new Owner(Kind.TRACE, "0 of mesh 0"),
                        new Owner(Kind.TRACE, "0 of mesh 1"),
                        new Owner(Kind.DISPATCH, "prefetcher 1"),
                        new Owner(Kind.DISPATCH, "prefetcher 2"))))
                .containsExactly(
                        "program add",
                        "program matmul",
                        "trace 0 of mesh 0",
                        "trace 0 of mesh 1",
                        "dispatch \"prefetcher 1\"",
                        "dispatch \"prefetcher 2\"");
    }
}
