package dev.meshguard.verification.documents;

import dev.meshguard.samples.support.Fixtures;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The output of the code of a page. */
final class Output {

    private static final String SAMPLES = "dev.meshguard.samples.";
    private static final String ELISION = "…";

    private Output() {}

    /** Returns the output that a marker of a page names, with the lines of the samples as the page shows them. */
    static String on(DocumentationPage page, PageMarker marker) throws IOException, ReflectiveOperationException {
        String text = of(marker.value());
        for (CodeBlock block : page.blocks()) {
            PageMarker source = block.marker().orElse(marker);
            if (source.kind() == PageMarker.Kind.SAMPLE) {
                text = Source.asInOwnProject(source.value(), text);
            }
        }
        return text;
    }

    /**
     * Returns what a fixture fails with, {@code package.Class} or {@code package.Class#test}, or the text that a method of a class
     * returns, {@code package.Class#method}. Packages are those of the samples; without one it is {@code first}.
     */
    private static String of(String place) throws ReflectiveOperationException {
        String[] names = place.split("#", 2);
        Class<?> type = Class.forName(SAMPLES + (names[0].contains(".") ? names[0] : "first." + names[0]));
        if (names.length == 1) {
            return textOf(Fixtures.failureOf(type));
        }
        Optional<Method> method = Arrays.stream(type.getDeclaredMethods())
                .filter(one -> one.getName().equals(names[1]) && one.getReturnType() == String.class)
                .findFirst();
        return method.isPresent()
                ? returnedBy(type, method.get())
                : textOf(Fixtures.run(type).get(names[1]).orElseThrow());
    }

    private static String textOf(Throwable failure) {
        return String.valueOf(failure.getMessage()).strip();
    }

    private static String returnedBy(Class<?> type, Method method) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        method.setAccessible(true);
        return ((String) method.invoke(constructor.newInstance())).strip();
    }

    /** Returns what a page shows if that is the output, with or without lines and ends of lines, or else the whole output. */
    static String shownAs(String shown, String printed) {
        String pattern = shown.lines().map(Output::lineOrLines).collect(Collectors.joining());
        return (printed + "\n").matches(pattern) ? shown : printed;
    }

    /** A page leaves out lines by a line of its own, and the rest of a line at its end. */
    private static String lineOrLines(String line) {
        if (line.strip().equals(ELISION)) {
            return "(?:.*\n)*";
        }
        return line.endsWith(" " + ELISION)
                ? Pattern.quote(line.substring(0, line.length() - ELISION.length())) + ".*\n"
                : Pattern.quote(line) + "\n";
    }
}
