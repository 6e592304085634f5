package dev.meshguard.verification.documents;

import java.util.Optional;
import java.util.Set;

/**
 * A block of code of a page, with the source that the page names for it.
 *
 * @param begin the index of its first line in the page
 * @param end the index of the line after it
 */
record CodeBlock(String place, int begin, int end, String language, Optional<PageMarker> marker, String text) {

    /** Languages of what is shown as code or as output; the others are configuration and data, whose marker is optional. */
    private static final Set<String> SHOWN = Set.of("", "java", "text");

    boolean needsMarker() {
        return SHOWN.contains(language) && !isCommands();
    }

    /** What a reader types is not run here; {@code .ci/run} runs the same goals. */
    private boolean isCommands() {
        return language.isEmpty() && text.lines().allMatch(line -> line.startsWith("mvn "));
    }
}
