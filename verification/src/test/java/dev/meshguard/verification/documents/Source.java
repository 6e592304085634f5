package dev.meshguard.verification.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The contents of a file that is compiled and run. */
final class Source {

    static final Path SAMPLES = DocumentationPage.ROOT.resolve("sample-tests/src/test/java/dev/meshguard/samples");

    private static final String REGION = "// region: ";
    private static final String TESTS = "Tests.java";
    private static final Pattern OWN_CONDITION =
            Pattern.compile("(?m)^(import dev\\.meshguard\\.samples\\.support\\.Fixture;|@Fixture)\n");
    private static final Pattern ANY_BEGIN = Pattern.compile("(//|#|<!--) region: .*");
    private static final Pattern ANY_END = Pattern.compile("(//|#|<!--) end region( -->)?");

    private Source() {}

    /**
     * Returns a file of the samples as a project of one's own can have it: without the line of its package, and without the condition
     * that keeps a test that is meant to fail from running in this build.
     */
    static String file(String name) throws IOException {
        String source = Files.readString(SAMPLES.resolve(name));
        return OWN_CONDITION
                .matcher(source.substring(source.indexOf(";\n") + 2))
                .replaceAll("")
                .strip();
    }

    /**
     * Returns a text that names lines of a file of the samples with the lines and without the package that {@link #file} leaves.
     */
    static String asInOwnProject(String name, String text) throws IOException {
        List<String> lines = Files.readAllLines(SAMPLES.resolve(name));
        List<String> left = file(name).lines().toList();
        String type = name.substring(name.lastIndexOf('/') + 1).replace(".java", "");
        String sample = "dev.meshguard.samples." + name.replace(".java", "").replace('/', '.');
        return Pattern.compile("\\b" + type + "\\.java:(\\d+)")
                .matcher(text.replace(sample, type))
                .replaceAll(line -> type + ".java:" + lineAmong(left, lines, Integer.parseInt(line.group(1))));
    }

    /** Returns the number that a line still has after other lines were left out. */
    private static int lineAmong(List<String> left, List<String> lines, int number) {
        int kept = 0;
        for (String line : lines.subList(0, number)) {
            kept += kept < left.size() && line.equals(left.get(kept)) ? 1 : 0;
        }
        return kept;
    }

    /** Returns the test classes that run what a file declares: itself, those that name it, or, of a module, those that live in it. */
    static List<Path> testsThatRun(Path file) throws IOException {
        String name = file.getFileName().toString().replace(".java", "");
        try (Stream<Path> files = Files.walk(name.equals("module-info") ? testsOfModule(file) : file.getParent())) {
            return files.filter(other -> other.toString().endsWith(TESTS))
                    .filter(other -> other.equals(file) || name.equals("module-info") || mentions(other, name))
                    .toList();
        }
    }

    private static Path testsOfModule(Path descriptor) {
        return descriptor.getParent().resolve("../../test/java").normalize();
    }

    private static boolean mentions(Path file, String type) {
        try {
            return Pattern.compile("\\b" + type + "\\b")
                    .matcher(Files.readString(file))
                    .find();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the places of all regions of the samples, {@code path#region}. */
    static List<String> regionsOfTheSamples() throws IOException {
        List<String> places = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SAMPLES)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String path = DocumentationPage.ROOT.relativize(file).toString().replace('\\', '/');
                Files.readAllLines(file).stream()
                        .map(String::strip)
                        .filter(line -> line.startsWith(REGION))
                        .forEach(line -> places.add(path + "#" + line.substring(REGION.length())));
            }
        }
        return places;
    }

    /** Returns a region of a file of the project, {@code path#region}, without its indentation. */
    static String region(String place) throws IOException {
        int hash = place.indexOf('#');
        String name = place.substring(hash + 1);
        List<String> lines = Files.readAllLines(DocumentationPage.ROOT.resolve(place.substring(0, hash)));
        Pattern begin = Pattern.compile("(//|#|<!--) region: " + Pattern.quote(name) + "( -->)?");
        List<String> region = lines.stream()
                .dropWhile(line -> !begin.matcher(line.strip()).matches())
                .skip(1)
                .takeWhile(line -> !ANY_END.matcher(line.strip()).matches())
                .filter(line -> !ANY_BEGIN.matcher(line.strip()).matches())
                .toList();
        if (region.isEmpty()) {
            throw new IllegalArgumentException(place + ": there is no such region, or nothing in it");
        }
        return String.join("\n", region).stripIndent().strip();
    }
}
