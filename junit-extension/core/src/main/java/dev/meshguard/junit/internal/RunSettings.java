package dev.meshguard.junit.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The validated settings of a build for a whole run.
 *
 * @param expectedBuffers the file of buffers that are expected in every test
 * @param baseline the file of known leaks
 * @param update the requested update of that file
 * @param strict whether a fixed known leak fails the run until it is removed
 * @param run the name of the run, set by the build that starts all of it
 * @param recordFolder the folder in which every JVM of the run writes its record
 * @param readOnly whether the baseline must not be written, even if requested
 */
public record RunSettings(
        Optional<Path> expectedBuffers,
        Optional<Path> baseline,
        Update update,
        boolean strict,
        Optional<String> run,
        Optional<Path> recordFolder,
        boolean readOnly) {

    /** The parameter that names the file of expected buffers. */
    public static final String EXPECTED_BUFFERS = "meshguard.expected-buffers";

    /** The parameter that names the file of known leaks. */
    public static final String BASELINE = "meshguard.baseline";

    /** The parameter that requests an update of that file. */
    public static final String UPDATE = "meshguard.baseline.update";

    /** The parameter that makes fixed known leaks fail a run. */
    public static final String STRICT = "meshguard.baseline.strict";

    /** The parameter that names the run, and declares that all of it is run. */
    public static final String RUN = "meshguard.run";

    /** The parameter that names the folder of records. */
    public static final String JVM_RECORDS = "meshguard.jvm-records";

    /** The parameter that names the base folder of output folders. */
    public static final String OUTPUT = "meshguard.output";

    /** The requested update of a baseline. */
    public enum Update {
        /** No update. */
        NONE,
        /** Fixed leaks are removed. */
        SHRINK,
        /** New leaks are added. */
        ACCEPT
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
                update(given(parameters, UPDATE)),
                bool(STRICT, given(parameters, STRICT)),
                given(parameters, RUN),
                outputFolder(parameters, JVM_RECORDS),
                isOn(environment.getOrDefault("CI", "")));
        settings.rejectWhatMissesItsOther();
        return settings;
    }

    /** Returns the value of a parameter; a blank one counts as not given. */
    public static Optional<String> given(Function<String, Optional<String>> parameters, String name) {
        return parameters.apply(name).map(String::strip).filter(value -> !value.isEmpty());
    }

    /**
     * Returns the path of an output folder, relative to that of {@code meshguard.output} if it is given.
     *
     * @throws IllegalArgumentException if a value is no path; the message names it
     */
    static Optional<Path> outputFolder(Function<String, Optional<String>> parameters, String name) {
        return path(parameters, name)
                .map(folder -> path(parameters, OUTPUT)
                        .map(output -> output.resolve(folder))
                        .orElse(folder));
    }

    private static Optional<Path> path(Function<String, Optional<String>> parameters, String name) {
        return given(parameters, name).map(value -> {
            try {
                return Path.of(value);
            } catch (InvalidPathException noPath) {
                throw rejected(name, value, "It is no path here: " + noPath.getReason() + ".");
            }
        });
    }

    private static boolean isOn(String variable) {
        String value = variable.strip().toLowerCase(Locale.ROOT);
        return !value.isEmpty() && !value.equals("false") && !value.equals("0");
    }

    private static Update update(Optional<String> value) {
        return switch (value.orElse("none")) {
            case "none" -> Update.NONE;
            case "shrink" -> Update.SHRINK;
            case "accept" -> Update.ACCEPT;
            default -> throw rejected(UPDATE, value.orElseThrow(), "It is shrink, accept or none.");
        };
    }

    private static boolean bool(String name, Optional<String> value) {
        return switch (value.orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw rejected(name, value.orElseThrow(), "It is true or false.");
        };
    }

    private void rejectWhatMissesItsOther() {
        if (recordFolder.isPresent() && run.isEmpty()) {
            throw rejected(
                    JVM_RECORDS,
                    recordFolder.get().toString(),
                    "Records of an earlier build may be there: name the run with " + RUN
                            + ", for example by its time.");
        }
        if (update == Update.SHRINK && run.isEmpty()) {
            throw rejected(
                    UPDATE,
                    "shrink",
                    "A part of the tests does not show what is gone: run all of them, and say so with " + RUN + ".");
        }
        if (update != Update.NONE && baseline.isEmpty()) {
            throw rejected(UPDATE, update.name().toLowerCase(Locale.ROOT), "Name the file with " + BASELINE + ".");
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
