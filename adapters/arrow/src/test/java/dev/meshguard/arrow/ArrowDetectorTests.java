package dev.meshguard.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** What Arrow's own detectors and MeshGuard say of the same programs. */
class ArrowDetectorTests {

    private static final Path PAGE = Path.of("..", "..", "docs", "internals", "library-detectors.md");

    private static final Map<VectorProgram, Throwable> FAILURES = new EnumMap<>(VectorProgram.class);

    @BeforeAll
    static void runEachProgramAsATest() {
        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(selectClass(VectorProgramTestCase.class))
                .execute()
                .testEvents()
                .failed()
                .stream()
                .forEach(event -> FAILURES.put(
                        VectorProgram.valueOf(event.getTestDescriptor().getDisplayName()),
                        event.getRequiredPayload(TestExecutionResult.class)
                                .getThrowable()
                                .orElseThrow()));
    }

    @Test
    void areComparedOnThePage() throws Exception {
        Map<VectorProgram, String> plain = ArrowDetector.PLAIN.answers();
        Map<VectorProgram, String> debug = ArrowDetector.DEBUG.answers();

        String table = Arrays.stream(VectorProgram.values())
                .map(program -> String.format(
                        "| %s | %d | %s | %s | %s |",
                        program.description(),
                        program.leaks(),
                        plain.get(program),
                        debug.get(program),
                        answerOfMeshGuard(program)))
                .collect(Collectors.joining("\n"));

        assertThat(Files.readString(PAGE)).as("copy into %s:%n%s", PAGE, table).contains(table);
    }

    @Test
    void areNotNeededToFindEachLeakOfTheAllocatorOfATestWithItsLine() {
        assertThat(VectorProgram.values())
                .filteredOn(program -> program != VectorProgram.OPENS_ALLOCATOR)
                .allSatisfy(program -> {
                    assertThat(leaksIn(program)).isEqualTo(program.leaks());
                    assertThat(answerOfMeshGuard(program).endsWith(", line")).isEqualTo(program.leaks() > 0);
                });
    }

    private static String answerOfMeshGuard(VectorProgram program) {
        Throwable failure = FAILURES.get(program);
        if (failure == null) {
            return "nothing";
        }
        return verdictOn(program)
                .map(verdict -> verdict.groups(SurvivorStatus.LEAKED).stream()
                        .map(group -> group.cause() + (program.isCalledFirst(failure.getMessage()) ? ", line" : ""))
                        .collect(Collectors.joining("; ")))
                .orElse(failure.getClass().getSimpleName());
    }

    private static Optional<LeakVerdict> verdictOn(VectorProgram program) {
        return FAILURES.get(program) instanceof LeakAssertionError leak
                ? Optional.of(leak.verdict())
                : Optional.empty();
    }

    private static long leaksIn(VectorProgram program) {
        return verdictOn(program).map(verdict -> verdict.sum().leaked()).orElse(0L);
    }
}
