package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture of the concepts shows words that the glossary explains. */
class GlossaryTests {

    private static final Path DOCS = DocumentationPage.ROOT.resolve("docs");
    private static final Pattern NAME = Pattern.compile("<text class=\"[a-z ]*name\"[^>]*>([^<]+)</text>");

    @Test
    void thePictureNamesTheConcepts() throws IOException {
        Set<String> names =
                namesInPicture().map(name -> name.replaceAll(" \\d+$", "")).collect(Collectors.toSet());

        assertThat(names)
                .containsExactlyInAnyOrder(
                        "bank",
                        "buffer",
                        "device",
                        "generation",
                        "mesh",
                        "program cache",
                        "report",
                        "tracker",
                        "verdict",
                        "view",
                        "witness");
        assertThat(explained()).containsAll(names);
    }

    @Test
    void eachWordIsExplainedOnce() {
        assertThat(explained()).doesNotHaveDuplicates();
    }

    private static List<String> explained() {
        return DocumentationPage.of(DOCS.resolve("glossary.md")).lines().stream()
                .filter(line -> line.matches("\\| [a-z].*"))
                .map(line -> line.split("\\|", -1)[1].strip())
                .filter(word -> !word.equals("word"))
                .toList();
    }

    private static Stream<String> namesInPicture() throws IOException {
        return NAME.matcher(Files.readString(DOCS.resolve("images/concepts.svg")))
                .results()
                .map(name -> name.group(1));
    }
}
