package dev.meshguard.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The source of a program that has each cause once, in one language; a comment marks the lines that allocate what remains. */
record ClientProgram(Path source, String markOfFunction) {

    /** Returns the causes that reports alone can prove: HELD and LOST need the handles of the program. */
    static Stream<Cause> causes() {
        return Stream.of(Cause.values()).filter(cause -> cause != Cause.HELD && cause != Cause.LOST);
    }

    static String nameOf(Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT);
    }

    /** Asserts that one buffer remains, with a cause and the marked line of a function. */
    void assertOnlyCause(LeakVerdict verdict, Cause cause, String function) throws IOException {
        assertThat(verdict.survivors())
                .singleElement()
                .satisfies(survivor -> assertThat(survivor.diagnosis().cause())
                        .as("%s", survivor)
                        .isEqualTo(cause));
        assertThat(site(verdict.survivors().get(0)))
                .hasToString("causes." + function + "(" + source.getFileName() + ":" + lineIn(function) + ")");
    }

    /** Returns the line that allocated a buffer, with the name of its file alone. */
    private static StackTraceElement site(Survivor survivor) {
        StackTraceElement site =
                survivor.buffer().origin().orElseThrow().frames().get(0);
        String file = Path.of(String.valueOf(site.getFileName())).getFileName().toString();
        return new StackTraceElement(site.getClassName(), site.getMethodName(), file, site.getLineNumber());
    }

    /** Returns the first marked line after the beginning of a function. */
    private int lineIn(String function) throws IOException {
        List<String> lines = Files.readAllLines(source);
        int line = 0;
        while (!lines.get(line).contains(String.format(Locale.ROOT, markOfFunction, function))) {
            line++;
        }
        while (!lines.get(line).contains("remains")) {
            line++;
        }
        return line + 1;
    }
}
