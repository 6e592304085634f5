package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that every claim of the page that compares MeshGuard with its peers is shown by a test. */
class ComparedPageTests {

    private static final DocumentationPage PAGE =
            DocumentationPage.of(DocumentationPage.ROOT.resolve("docs/internals/compared.md"));

    @Test
    void everyYesOfOursLinksTheTestThatShowsIt() {
        assertThat(ours())
                .hasSize(32)
                .allSatisfy(
                        cell -> assertThat(cell)
                                .matches(
                                        "(yes|partly(, [^:]+)?): \\[(\\w+Tests)]\\(\\S+/\\3\\.java\\)( \\(\\d\\))?|no( \\(\\d\\))?"));
    }

    @Test
    void everyRowSpeaksOfAllPeers() {
        assertThat(rows()).allSatisfy(row -> assertThat(cells(row)).hasSize(8));
    }

    private static List<String> ours() {
        return rows().stream().map(row -> cells(row).get(1)).toList();
    }

    private static List<String> rows() {
        return PAGE.lines().stream()
                .dropWhile(line -> !line.startsWith("| | MeshGuard |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1, row.length() - 1).split("\\|", -1))
                .map(String::strip)
                .toList();
    }
}
