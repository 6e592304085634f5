package dev.meshguard.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of the demo as a whole, and its pages. */
class DemoOutputTests {

    @TempDir
    private Path folder;

    @Test
    void introducesFourScenariosAndNamesTheirPages() throws IOException {
        Path pages = folder.resolve("demo");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        new Demo(new PrintStream(printed, true, StandardCharsets.UTF_8), pages).run();

        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSizeLessThanOrEqualTo(60);
        assertThat(lines).filteredOn(line -> line.startsWith("== ")).hasSize(4).allMatch(line -> line.length() <= 120);
        assertThat(lines)
                .filteredOn(line -> line.matches("(LEAK|MISREPORTED|CLEAN) .*"))
                .hasSize(4);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(
                        "LEAK  403.84 MiB in 381 buffers, 2 findings; largest 355.37 MiB \"weights\" HELD by"
                                + " LanguageModelRun.weights\n",
                        "HELD: still referenced by LanguageModelTestCase.model -> LanguageModelRun.weights -> ArrayList[0..162]",
                        "HELD: still referenced by LanguageModelTestCase.model -> LanguageModelRun.caches -> ArrayList[0..217]");
        assertThat(lines.get(lines.size() - 1)).isEqualTo("pages   " + pages.resolve("index.html"));
        try (Stream<Path> files = Files.list(pages.resolve("runs"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".html")))
                    .hasSize(4)
                    .allSatisfy(page ->
                            assertThat(printed.toString(StandardCharsets.UTF_8)).contains(page.toString()));
        }
        assertThat(Files.readString(pages.resolve("index.html"))).contains("every step in its place");
    }
}
