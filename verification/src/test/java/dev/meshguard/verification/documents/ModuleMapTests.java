package dev.meshguard.verification.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The map of modules and packages in CONTRIBUTING.md is drawn from the module descriptors and the package comments. */
class ModuleMapTests {

    private static final Pattern MODULE = Pattern.compile("module (dev\\.meshguard\\.[\\w.]+)");
    private static final Pattern REQUIRED =
            Pattern.compile("requires (?:static |transitive )*(dev\\.meshguard\\.[\\w.]+);");
    private static final Pattern EXPORTED = Pattern.compile("exports (dev\\.meshguard[\\w.]*);");
    private static final Pattern FIRST_SENTENCE = Pattern.compile("/\\*\\*[\\s*]*(.+?[.])(?:\\s|\\*/)", Pattern.DOTALL);
    private static final Pattern DRAWN =
            Pattern.compile("## Modules and packages\n.*?\n```\n(.*?)\n```", Pattern.DOTALL);

    @Test
    void isTheOneInContributing() throws IOException {
        Matcher drawn = DRAWN.matcher(Files.readString(DocumentationPage.ROOT.resolve("CONTRIBUTING.md")));

        assertThat(drawn.find()).as("CONTRIBUTING.md has a map of the modules").isTrue();
        assertThat(String.join("\n", map())).isEqualTo(drawn.group(1));
    }

    private static List<String> map() throws IOException {
        Map<String, Path> folders = new TreeMap<>();
        for (Path folder : DocumentationPage.modules()) {
            if (Files.isRegularFile(descriptor(folder))) {
                folders.put(first(MODULE, Files.readString(descriptor(folder))), folder);
            }
        }
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Path> module : folders.entrySet()) {
            String descriptor = Files.readString(descriptor(module.getValue()));
            List<String> needed = all(REQUIRED, descriptor);
            lines.add((lines.isEmpty() ? "" : "\n")
                    + folderName(module.getValue()) + "/"
                    + (needed.isEmpty() ? "" : "  needs " + String.join(", ", folderNames(folders, needed))));
            lines.addAll(packages(module.getValue(), all(EXPORTED, descriptor)));
        }
        return lines;
    }

    private static List<String> folderNames(Map<String, Path> folders, List<String> modules) {
        return modules.stream()
                .map(module -> folderName(folders.get(module)))
                .sorted()
                .toList();
    }

    private static String folderName(Path folder) {
        return DocumentationPage.ROOT.relativize(folder).toString().replace('\\', '/');
    }

    private static List<String> packages(Path module, List<String> exported) throws IOException {
        Path sources = module.resolve("src/main/java");
        List<String> lines = new ArrayList<>();
        for (Path file : DocumentationPage.sources(sources)) {
            if (file.endsWith("package-info.java")) {
                String name = sources.relativize(file.getParent()).toString().replace('/', '.');
                lines.add(String.format(
                        Locale.ROOT,
                        "  %-9s %s: %s",
                        exported.contains(name) ? "exported" : "internal",
                        name,
                        first(FIRST_SENTENCE, Files.readString(file))
                                .replaceAll("\\s*\n \\*\\s*", " ")
                                .replaceAll("\\{@code (.+?)}", "$1")));
            }
        }
        return lines;
    }

    private static Path descriptor(Path folder) {
        return folder.resolve("src/main/java/module-info.java");
    }

    private static String first(Pattern pattern, String text) {
        return all(pattern, text).get(0);
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
