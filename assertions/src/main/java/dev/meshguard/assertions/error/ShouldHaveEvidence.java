package dev.meshguard.assertions.error;

import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Survivor;
import java.util.stream.Collectors;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message of a survivor whose evidence does not mention something. */
public final class ShouldHaveEvidence extends BasicErrorMessageFactory {

    private ShouldHaveEvidence(Survivor survivor, String words) {
        super(
                "%nExpecting the evidence for cause %s of:%n  %s%nto contain:%n  %s%nbut found:%n  %s",
                survivor.cause(), unquotedString(survivor.buffer().toString()), words, unquotedString(facts(survivor)));
    }

    /** Returns the message. */
    public static ShouldHaveEvidence shouldHaveEvidence(Survivor survivor, String words) {
        return new ShouldHaveEvidence(survivor, words);
    }

    static String facts(Survivor survivor) {
        return survivor.diagnosis().evidence().stream().map(Evidence::words).collect(Collectors.joining("\n  "));
    }
}
