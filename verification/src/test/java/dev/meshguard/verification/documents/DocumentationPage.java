package dev.meshguard.verification.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page in Markdown: its blocks of code, its headings, and its links. */
record DocumentationPage(Path file, List<String> lines) {

    /** The folder of the README. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
    private static final String FENCE = "```";

    /** Returns the README, the contributing guide, the list of samples, and every page in {@code docs} and its folders. */
    static List<DocumentationPage> all() {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "sample-tests/README.md")
                                    .map(ROOT::resolve),
                            docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(DocumentationPage::of)
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the folders of the modules that the build lists. */
    static List<Path> modules() throws IOException {
        return MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map((MatchResult module) -> ROOT.resolve(module.group(1)))
                .toList();
    }

    /** Returns the sources of Java below a folder, which need not exist. */
    static List<Path> sources(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    static DocumentationPage of(Path file) {
        try {
            return new DocumentationPage(file, Files.readAllLines(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    String name() {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }

    List<CodeBlock> blocks() {
        List<CodeBlock> blocks = new ArrayList<>();
        for (int begin = 0; begin < lines.size(); begin++) {
            if (isFence(begin)) {
                int end = begin + 1;
                while (!isFence(end)) {
                    end++;
                }
                blocks.add(new CodeBlock(
                        name() + ":" + (begin + 1),
                        begin + 1,
                        end,
                        lines.get(begin).strip().substring(FENCE.length()),
                        begin == 0
                                ? Optional.empty()
                                : PageMarker.of(lines.get(begin - 1).strip()),
                        String.join("\n", lines.subList(begin + 1, end)).stripIndent()));
                begin = end;
            }
        }
        return blocks;
    }

    private boolean isFence(int line) {
        if (line >= lines.size()) {
            throw new IllegalStateException(name() + ": a block of code has no end");
        }
        return lines.get(line).strip().startsWith(FENCE);
    }

    List<String> headings() {
        return prose().stream()
                .map(HEADING::matcher)
                .filter(heading -> heading.matches())
                .map(heading -> heading.group(1))
                .toList();
    }

    /** Returns the anchors that GitHub gives the headings. */
    List<String> anchors() {
        return headings().stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    /** Returns what the page links to, other sites left out. */
    List<String> links() {
        return prose().stream()
                .flatMap(line -> LINK.matcher(line).results())
                .map((MatchResult link) -> link.group(1))
                .filter(link -> !link.matches("[a-z]+:.*"))
                .toList();
    }

    /** The lines outside blocks of code. */
    private List<String> prose() {
        List<String> prose = new ArrayList<>();
        boolean inCode = false;
        for (String line : lines) {
            boolean fence = line.strip().startsWith(FENCE);
            if (!fence && !inCode) {
                prose.add(line);
            }
            inCode ^= fence;
        }
        return prose;
    }
}
