package dev.meshguard.junit.internal;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated settings of a build for a whole run.
 *
 * @param expectedBuffers the file of buffers that are expected in every test
 * @param baseline the file of known leaks
 * @param update what happens to that file
 * @param run the name of the run, set by the build that starts all of it
 * @param findingsFolder the folder in which every JVM of a named run writes its findings, which {@link RunResult} judges
 * @param readOnly whether the baseline must not be written, even if requested
 */
public record RunSettings(
        Optional<Path> expectedBuffers,
        Optional<Path> baseline,
        Update update,
        Optional<String> run,
        Optional<Path> findingsFolder,
        boolean readOnly) {

    /** The parameter that names the file of expected buffers. */
    public static final String EXPECTED_BUFFERS = "meshguard.expected-buffers";

    /** The parameter that names the file of known leaks. */
    public static final String BASELINE = "meshguard.baseline";

    /** The parameter that says what happens to that file. */
    public static final String UPDATE = "meshguard.baseline.update";

    /** The parameter that names the run, and declares that all of it is run. */
    public static final String RUN = "meshguard.run";

    /** What happens to a baseline. */
    public enum Update {
        /** Fixed leaks are removed. */
        SHRINK,
        /** New leaks are added. */
        ACCEPT,
        /** No update; a fixed leak fails the run until it is removed. */
        STRICT,
        /** No update. */
        NONE
    }

    /**
     * Reads parameters.
     *
     * @param parameters returns the value of a name
     * @param environment the environment variables of the process
     * @throws IllegalArgumentException if a value is invalid; the message names it
     */
    public static RunSettings of(Function<String, Optional<String>> parameters, Map<String, String> environment) {
        RunSettings settings = new RunSettings(
                path(parameters, EXPECTED_BUFFERS),
                path(parameters, BASELINE),
                choice(parameters, UPDATE, Update.values()).orElse(Update.NONE),
                given(parameters, RUN),
                given(parameters, RUN).flatMap(run -> path(parameters, FindingsSettings.FINDINGS)),
                isOn(environment.getOrDefault("CI", "")));
        settings.rejectWhatMissesItsOther();
        return settings;
    }

    /** Returns the value of a parameter; a blank one counts as not given. */
    public static Optional<String> given(Function<String, Optional<String>> parameters, String name) {
        return parameters.apply(name).map(String::strip).filter(value -> !value.isEmpty());
    }

    /**
     * Returns the path that a parameter names.
     *
     * @throws IllegalArgumentException if its value is no path; the message names it
     */
    static Optional<Path> path(Function<String, Optional<String>> parameters, String name) {
        return given(parameters, name).map(value -> {
            try {
                return Path.of(value);
            } catch (InvalidPathException noPath) {
                throw rejected(name, value, "It is no path here: " + noPath.getReason() + ".");
            }
        });
    }

    /**
     * Returns the constant that a parameter names.
     *
     * @throws IllegalArgumentException if it names none; the message lists all
     */
    public static <E extends Enum<E>> Optional<E> choice(
            Function<String, Optional<String>> parameters, String name, E[] constants) {
        List<String> words = words(constants);
        return given(parameters, name)
                .map(value -> Arrays.stream(constants)
                        .filter(constant ->
                                words.contains(value) && word(constant).equals(value))
                        .findFirst()
                        .orElseThrow(() -> rejected(name, value, "It is " + anyOf(words) + ".")));
    }

    /** Returns the words for constants; the one for an omitted attribute of an annotation is no value of a parameter. */
    public static List<String> words(Enum<?>[] constants) {
        return Arrays.stream(constants)
                .map(RunSettings::word)
                .filter(word -> !word.equals("default"))
                .toList();
    }

    /** Returns the word for a constant in parameters. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String anyOf(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    private static boolean isOn(String variable) {
        String value = variable.strip().toLowerCase(Locale.ROOT);
        return !value.isEmpty() && !value.equals("false") && !value.equals("0");
    }

    private void rejectWhatMissesItsOther() {
        if ((update == Update.SHRINK || update == Update.STRICT) && run.isEmpty()) {
            throw rejected(
                    UPDATE,
                    word(update),
                    "A part of the tests does not show what is gone: run all of them, and say so with " + RUN + ".");
        }
        if (update != Update.NONE && baseline.isEmpty()) {
            throw rejected(UPDATE, word(update), "Name the file with " + BASELINE + ".");
        }
    }

    /** Rejects the folder of a named run in which no findings can be written: without a file of this JVM the run would look whole. */
    void rejectUnwritten(IOException notWritten) {
        if (run.isPresent() && findingsFolder.isPresent()) {
            throw rejected(
                    FindingsSettings.FINDINGS,
                    findingsFolder.get().toString(),
                    "With " + RUN + " this JVM writes its findings into that folder, which failed: " + notWritten
                            + ". Name a folder that can be made and written to, or leave out " + RUN + ".");
        }
    }

    /** Returns whether an update of the baseline is allowed and requested. */
    boolean writes(Update what) {
        return update == what && !readOnly;
    }

    /** Returns the error for a parameter's value; the allowed values are a whole sentence. */
    public static IllegalArgumentException rejected(String name, String value, String allowed) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "%s = %s is rejected. %s", name, value, allowed));
    }
}
