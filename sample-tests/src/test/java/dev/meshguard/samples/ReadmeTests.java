package dev.meshguard.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The README shows code that runs and output that was printed. */
class ReadmeTests {

    private static final Path ROOT = Path.of("..");
    private static final Path SAMPLES = Path.of("src/test/java/dev/meshguard/samples");
    private static final Pattern BLOCK =
            Pattern.compile("<!-- (sample|output): (\\S+) -->\n```\\w*\n(.*?)```", Pattern.DOTALL);

    @TestFactory
    Stream<DynamicTest> showsWhatRuns() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        Matcher blocks = BLOCK.matcher(readme);
        return blocks.results()
                .map(block -> DynamicTest.dynamicTest(
                        block.group(2),
                        () -> assertThat(block.group(3).strip()).isEqualTo(expected(block.group(1), block.group(2)))));
    }

    private static String expected(String kind, String name) throws Exception {
        return kind.equals("sample")
                ? withoutPackage(Files.readString(SAMPLES.resolve(name)))
                : Fixtures.failureOf(Class.forName("dev.meshguard.samples.first." + name))
                        .getMessage()
                        .strip();
    }

    private static String withoutPackage(String source) {
        return source.substring(source.indexOf(";\n") + 2).strip();
    }
}
