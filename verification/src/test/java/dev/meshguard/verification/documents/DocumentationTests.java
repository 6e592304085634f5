package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The README and the pages of {@code docs} show code that runs and output that was printed, and contain only links to existing
 * targets.
 *
 * <p>A {@link PageMarker} above each block names its source. The code is that of the samples, which are compiled and run with
 * the build; the output is printed anew.
 */
class DocumentationTests {

    /** Why a block may be there that nothing runs. */
    private static final Set<String> REASONS = Set.of("configuration", "picture", "shell");

    /** The pages of {@code docs} that are on the project, as those in its folders are. */
    private static final Set<String> OF_THE_PROJECT =
            Set.of("docs/README.md", "docs/build.md", "docs/glossary.md", "docs/tutorial.md");

    @Test
    void everyBlockSaysWhereItIsFrom() {
        assertThat(blocks().filter(CodeBlock::needsMarker))
                .filteredOn(block -> block.marker().isEmpty())
                .extracting(CodeBlock::place)
                .as("blocks of code without one of the comments that Marker lists")
                .isEmpty();
    }

    /** The pages as they have to be are written to {@code target/pages}, to be compared and copied. */
    @TestFactory
    Stream<DynamicTest> showsWhatRuns() {
        return DocumentationPage.all().stream()
                .map(page -> DynamicTest.dynamicTest(page.name(), () -> {
                    Path current = Path.of("target", "pages", page.name());
                    Files.createDirectories(current.getParent());
                    Files.write(current, current(page));

                    assertThat(current)
                            .as("copy %s to %s if it is right", current, page.file())
                            .hasSameTextualContentAs(page.file());
                }));
    }

    /** Not with the pages, so that each is written although such a block is wrong. */
    @TestFactory
    Stream<DynamicTest> showsWhatAnotherTestCompares() {
        return DynamicTest.stream(
                blocks(PageMarker.Kind.COMPARED), CodeBlock::place, DocumentationTests::checkCompared);
    }

    @TestFactory
    Stream<DynamicTest> saysWhyABlockIsNotExecuted() {
        return DynamicTest.stream(
                blocks(PageMarker.Kind.NOT_EXECUTED),
                CodeBlock::place,
                block -> assertThat(block.marker().orElseThrow().value())
                        .as(block.place())
                        .isIn(REASONS));
    }

    /** Compiled code that no test knows would be shown and never run. */
    @TestFactory
    Stream<DynamicTest> showsCodeThatATestRuns() {
        return blocks().filter(block -> block.language().equals("java"))
                .flatMap(block -> block.marker().stream())
                .flatMap(marker -> marker.file().stream())
                .distinct()
                .map(file -> DynamicTest.dynamicTest(
                        DocumentationPage.ROOT.relativize(file).toString(),
                        () -> assertThat(Source.testsThatRun(file)).isNotEmpty()));
    }

    @Test
    void everyRegionIsShown() throws IOException {
        Set<String> shown = blocks().flatMap(block -> block.marker().stream())
                .map(PageMarker::value)
                .collect(Collectors.toSet());

        assertThat(Source.regionsOfTheSamples()).isNotEmpty().isSubsetOf(shown);
    }

    @TestFactory
    Stream<DynamicTest> linksToWhatIsThere() {
        return DocumentationPage.all().stream()
                .flatMap(page -> page.links().stream()
                        .distinct()
                        .map(link -> DynamicTest.dynamicTest(page.name() + " -> " + link, () -> follow(page, link))));
    }

    /** A reader has to know which objects of a test several threads may use. */
    @Test
    void everyPageOnAFeatureSaysWhatThreadsMayDo() {
        assertThat(DocumentationPage.all())
                .filteredOn(page -> page.name().matches("docs/[^/]+") && !OF_THE_PROJECT.contains(page.name()))
                .isNotEmpty()
                .allSatisfy(page -> assertThat(page.headings()).as(page.name()).containsOnlyOnce("Thread safety"));
    }

    private static Stream<CodeBlock> blocks() {
        return DocumentationPage.all().stream().flatMap(page -> page.blocks().stream());
    }

    private static Stream<CodeBlock> blocks(PageMarker.Kind kind) {
        return blocks().filter(block ->
                block.marker().filter(marker -> marker.kind() == kind).isPresent());
    }

    private static List<String> current(DocumentationPage page) throws IOException, ReflectiveOperationException {
        List<String> current = new ArrayList<>();
        int next = 0;
        for (CodeBlock block : page.blocks()) {
            if (block.marker().isPresent()) {
                String text = current(page, block, block.marker().get());
                if (!text.equals(block.text())) {
                    current.addAll(page.lines().subList(next, block.begin()));
                    current.addAll(text.lines().toList());
                    next = block.end();
                }
            }
        }
        current.addAll(page.lines().subList(next, page.lines().size()));
        return current;
    }

    private static String current(DocumentationPage page, CodeBlock block, PageMarker marker)
            throws IOException, ReflectiveOperationException {
        return switch (marker.kind()) {
            case SAMPLE -> Source.file(marker.value());
            case SNIPPET -> Source.region(marker.value());
            case OUTPUT -> Output.shownAs(block.text(), Output.on(page, marker));
            case COMPARED, NOT_EXECUTED -> block.text();
        };
    }

    /** The test reads the page, or holds the same lines. */
    private static void checkCompared(CodeBlock block) throws IOException {
        String test = Files.readString(
                DocumentationPage.ROOT.resolve(block.marker().orElseThrow().value()));
        String page = block.place().replaceAll(":\\d+$", "").replaceAll("^docs/", "");
        if (!test.contains("\"" + page + "\"")) {
            assertThat(test)
                    .as(block.place())
                    .contains(block.text().lines().map(String::strip).toList());
        }
    }

    private static void follow(DocumentationPage page, String link) {
        List<String> parts = List.of(link.split("#", 2));
        Path target = parts.get(0).isEmpty()
                ? page.file()
                : page.file().resolveSibling(parts.get(0)).normalize();

        assertThat(target).startsWith(DocumentationPage.ROOT).exists();
        if (parts.size() > 1) {
            assertThat(DocumentationPage.of(target).anchors()).contains(parts.get(1));
        }
    }
}
