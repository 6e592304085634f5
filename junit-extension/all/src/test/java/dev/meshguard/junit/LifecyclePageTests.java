package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every statement of the lifecycle page has a test. */
class LifecyclePageTests {

    private static final Path PAGE = Path.of("..", "..", "docs", "lifecycle.md");
    private static final Pattern LINK = Pattern.compile("\\[(\\w+)]\\(([^)]+\\.java)\\)");

    @Test
    void everyCornerLinksTheTestThatShowsIt() throws IOException {
        List<String> corners = Files.readString(PAGE)
                .lines()
                .dropWhile(line -> !line.equals("| corner | what happens | test |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();

        assertThat(corners)
                .hasSizeGreaterThanOrEqualTo(30)
                .allSatisfy(corner -> assertThat(linksOf(corner))
                        .hasSize(1)
                        .allSatisfy(
                                link -> assertThat(PAGE.resolveSibling(link)).isRegularFile()));
    }

    private static List<String> linksOf(String corner) {
        return LINK.matcher(corner).results().map(link -> link.group(2)).collect(Collectors.toList());
    }
}
