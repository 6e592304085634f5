package dev.meshguard.junit.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a build says of a whole run, checked.
 *
 * @param expectedBuffers the file of what may stay in every test
 * @param baseline the file of known leaks
 * @param update what is asked to be written to it
 * @param strict whether a known leak that is gone fails the run until it is taken out
 * @param run what the run is called; given by whoever starts all of it
 * @param recordFolder the folder in which every JVM of the run keeps its account
 * @param readOnly whether the baseline must not be written, whatever is asked for
 */
public record RunSettings(
        Optional<Path> expectedBuffers,
        Optional<Path> baseline,
        Update update,
        boolean strict,
        Optional<String> run,
        Optional<Path> recordFolder,
        boolean readOnly) {

    /** The names of the parameters. */
    public static final String EXPECTED_BUFFERS = "meshguard.expected-buffers";

    /** Names the file of known leaks. */
    public static final String BASELINE = "meshguard.baseline";

    /** Asks for a change of that file. */
    public static final String UPDATE = "meshguard.baseline.update";

    /** Fails a run for known leaks that are gone. */
    public static final String STRICT = "meshguard.baseline.strict";

    /** Names the run, and says that all of it is run. */
    public static final String RUN = "meshguard.run";

    /** Names the folder of accounts. */
    public static final String ACCOUNT = "meshguard.account";

    /** Names the folder from which those count that are written to. */
    public static final String OUTPUT = "meshguard.output";

    /** What is asked to be written to a baseline. */
    public enum Update {
        /** Nothing. */
        NONE,
        /** What is gone is taken out. */
        SHRINK,
        /** What is new is taken in. */
        ACCEPT
    }

    /**
     * Reads parameters.
     *
     * @param parameters the value of a name
     * @param environment the variables of the process
     * @throws IllegalArgumentException if one makes no sense; the message names it
     */
    public static RunSettings of(Function<String, Optional<String>> parameters, Map<String, String> environment) {
        RunSettings settings = new RunSettings(
                path(parameters, EXPECTED_BUFFERS),
                path(parameters, BASELINE),
                update(given(parameters, UPDATE)),
                bool(STRICT, given(parameters, STRICT)),
                given(parameters, RUN),
                path(parameters, ACCOUNT)
                        .map(folder -> path(parameters, OUTPUT)
                                .map(output -> output.resolve(folder))
                                .orElse(folder)),
                isOn(environment.getOrDefault("CI", "")));
        settings.rejectWhatMissesItsOther();
        return settings;
    }

    /** Returns the value of a parameter; one without a value is not given. */
    public static Optional<String> given(Function<String, Optional<String>> parameters, String name) {
        return parameters.apply(name).map(String::strip).filter(value -> !value.isEmpty());
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
                    ACCOUNT,
                    recordFolder.get().toString(),
                    "Accounts of an earlier build may lie there: name the run with " + RUN
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

    /** Returns whether the baseline may be written and is asked to be. */
    boolean writes(Update what) {
        return update == what && !readOnly;
    }

    /** Returns the refusal of a parameter's value; what is allowed is a whole sentence. */
    public static IllegalArgumentException rejected(String name, String value, String allowed) {
        return new IllegalArgumentException(String.format(Locale.ROOT, "%s = %s is refused. %s", name, value, allowed));
    }
}
