package dev.meshguard.verification.documents;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The comment above a block of code that names the source of the block. */
record PageMarker(Kind kind, String value) {

    enum Kind {
        /** A file of the samples, whole. */
        SAMPLE("sample"),
        /** A region of a file, between {@code // region: name} and {@code // end region}. */
        SNIPPET("snippet"),
        /** What a fixture fails with, or what a method returns. */
        OUTPUT("output"),
        /** Lines that another test compares. */
        COMPARED("compared in"),
        /** Nothing that could run. */
        NOT_EXECUTED("not executed");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    private static final Pattern COMMENT = Pattern.compile("<!-- ([a-z ]+): (.+) -->");

    /** Returns the file of the samples from which the block is copied. */
    Optional<Path> file() {
        return switch (kind) {
            case SAMPLE -> Optional.of(Source.SAMPLES.resolve(value));
            case SNIPPET -> Optional.of(DocumentationPage.ROOT.resolve(value.replaceAll("#.*", "")));
            case OUTPUT, COMPARED, NOT_EXECUTED -> Optional.empty();
        };
    }

    static Optional<PageMarker> of(String line) {
        Matcher comment = COMMENT.matcher(line);
        return comment.matches()
                ? Arrays.stream(Kind.values())
                        .filter(kind -> kind.word.equals(comment.group(1)))
                        .findFirst()
                        .map(kind -> new PageMarker(kind, comment.group(2)))
                : Optional.empty();
    }
}
