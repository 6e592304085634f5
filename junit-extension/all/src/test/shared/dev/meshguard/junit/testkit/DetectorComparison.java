package dev.meshguard.junit.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Compares MeshGuard with the detectors that a library brings, on the programs of a test class. */
public final class DetectorComparison {

    private static final Path PAGE = Path.of("..", "..", "docs", "internals", "library-detectors.md");

    /** The lines of a table above its rows. */
    private static final int HEADER = 2;

    private static final Pattern FRAME = Pattern.compile("[\\w.$]+\\(\\w+\\.java:\\d+\\)");

    private final Class<?> programs;
    private final String library;
    private final Map<String, Throwable> failures = new HashMap<>();

    /** A program, with the object in which it runs. */
    public record Program(Method method, Object test, String library) {

        /** Runs it; returns the name of what it throws, if it does. */
        public List<String> run(Object... arguments) {
            try {
                ReflectionSupport.invokeMethod(method, test, arguments);
                return new ArrayList<>();
            } catch (RuntimeException thrown) {
                return new ArrayList<>(List.of(thrown.getClass().getSimpleName()));
            }
        }

        /** Returns whether the first frame of a text outside of the library is one of this program. */
        public boolean isCalledFirst(String text) {
            return DetectorComparison.isCalledFirst(method, library, text);
        }
    }

    /**
     * Runs each program as a test.
     *
     * @param library with what the names of the classes of the library begin
     */
    public DetectorComparison(Class<?> programs, String library) {
        this.programs = programs;
        this.library = library;
        EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(selectClass(programs))
                .execute()
                .testEvents()
                .failed()
                .stream()
                .forEach(this::failed);
    }

    private void failed(Event event) {
        MethodSource program = (MethodSource) event.getTestDescriptor().getSource().orElseThrow();
        TestExecutionResult result = event.getRequiredPayload(TestExecutionResult.class);
        failures.put(program.getMethodName(), result.getThrowable().orElseThrow());
    }

    private static List<Method> methods(Class<?> programs) {
        return AnnotationSupport.findAnnotatedMethods(programs, ProgramThat.class, HierarchyTraversalMode.TOP_DOWN);
    }

    private static boolean isCalledFirst(Method program, String library, String text) {
        Pattern ofProgram = Pattern.compile(Pattern.quote(program.getDeclaringClass().getName()) + "\\.(?:lambda\\$)?"
                + program.getName() + "\\b.*");
        return text.lines()
                .map(frame -> frame.strip().replaceFirst("^at ", ""))
                .filter(frame -> FRAME.matcher(frame).matches() && !frame.startsWith(library))
                .findFirst()
                .filter(frame -> ofProgram.matcher(frame).matches())
                .isPresent();
    }

    // In a Java machine of a detector

    /** Prints what a detector says of each program, for {@link #answersOf}; what their objects hold stays reachable. */
    public static void print(Class<?> programs, String library, Function<Program, List<String>> detector) {
        List<Program> all = methods(programs).stream()
                .map(method -> new Program(method, ReflectionSupport.newInstance(programs), library))
                .toList();
        for (Program program : all) {
            List<String> answer = detector.apply(program);
            System.out.println(
                    program.method().getName() + "\t" + (answer.isEmpty() ? "nothing" : String.join("; ", answer)));
        }
    }

    /** Returns what a main class prints of each program in a Java machine of its own. */
    public static Map<String, String> answersOf(Class<?> main, String... options) throws IOException {
        return OwnJvm.outputOf(main, options)
                .lines()
                .map(line -> line.split("\t"))
                .collect(Collectors.toMap(answer -> answer[0], answer -> answer[1]));
    }

    // The comparison

    /** Asserts that a table of the page has a row for each program, with what detectors say of it, and no other. */
    public void assertIsOnThePage(List<Map<String, String>> detectors) throws IOException {
        List<String> rows =
                methods(programs).stream().map(program -> row(program, detectors)).toList();

        List<String> table = Stream.of(Files.readString(PAGE).split("\n\n"))
                .filter(paragraph -> rows.stream().anyMatch(paragraph::contains))
                .flatMap(paragraph -> paragraph.lines().skip(HEADER))
                .toList();

        assertThat(table)
                .as("copy into %s:%n%s", PAGE, String.join("\n", rows))
                .containsExactlyInAnyOrderElementsOf(rows);
    }

    private String row(Method program, List<Map<String, String>> detectors) {
        ProgramThat about = program.getAnnotation(ProgramThat.class);
        Stream<String> answers = Stream.concat(
                detectors.stream().map(answer -> answer.get(program.getName())), Stream.of(answerOfMeshGuard(program)));
        return answers.collect(
                Collectors.joining(" | ", "| " + about.value() + " | " + about.leaks() + " | ", " |"));
    }

    /** Asserts that MeshGuard alone finds each leak with its line, and nothing else. */
    public void assertFindsEachLeakWithItsLine() {
        assertThat(methods(programs)).isNotEmpty().allSatisfy(program -> {
            int leaks = program.getAnnotation(ProgramThat.class).leaks();
            assertThat(verdictOn(program).map(verdict -> verdict.sum().leaked()).orElse(0L))
                    .isEqualTo(leaks);
            assertThat(answerOfMeshGuard(program).endsWith(", line")).isEqualTo(leaks > 0);
        });
    }

    private String answerOfMeshGuard(Method program) {
        Throwable failure = failures.get(program.getName());
        if (failure == null) {
            return "nothing";
        }
        return verdictOn(program)
                .map(verdict -> verdict.groups(SurvivorStatus.LEAKED).stream()
                        .map(group -> group.cause()
                                + (isCalledFirst(program, library, failure.getMessage()) ? ", line" : ""))
                        .collect(Collectors.joining("; ")))
                .orElse(failure.getClass().getSimpleName());
    }

    private Optional<LeakVerdict> verdictOn(Method program) {
        return failures.get(program.getName()) instanceof LeakAssertionError leak
                ? Optional.of(leak.verdict())
                : Optional.empty();
    }
}
