package dev.meshguard.junit.internal;

import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** The build tool that runs the tests, with its command to run one of them again. */
public enum BuildTool {
    MAVEN("mvn test", "-Dtest=") {
        /** Surefire separates by commas and has no escapes; a question mark matches any character. */
        @Override
        String pattern(String type, String method) {
            return method.isEmpty() ? fitting(type) : fitting(type) + "#" + fitting(method);
        }
    },
    GRADLE("./gradlew test", "--tests ") {
        @Override
        String pattern(String type, String method) {
            return method.isEmpty() ? type : type + "." + method;
        }
    };

    /** The system property that Gradle sets in the JVMs of tests. */
    public static final String GRADLE_WORKER = "org.gradle.test.worker";

    private static final Pattern MEANT_OTHERWISE = Pattern.compile("[^\\p{javaJavaIdentifierPart}]");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.,:/@%+=#-]*");

    private final String all;
    private final String option;

    BuildTool(String all, String option) {
        this.all = all;
        this.option = option;
    }

    /** Returns the tool that runs the tests. */
    public static BuildTool ofTests() {
        return of(System::getProperty);
    }

    /** Returns the tool that started a JVM with the given system properties; Maven if nothing says otherwise. */
    public static BuildTool of(UnaryOperator<String> properties) {
        return properties.apply(GRADLE_WORKER) == null ? MAVEN : GRADLE;
    }

    /** Returns the command for all tests. */
    public String command() {
        return all;
    }

    /**
     * Returns the command for one class or method.
     *
     * @param selector a class without its package, followed by {@code #} and the method if it is about one
     */
    public String command(String selector) {
        int hash = selector.indexOf('#');
        String type = hash < 0 ? selector : selector.substring(0, hash);
        return all + " " + option + quoted(pattern(type, hash < 0 ? "" : selector.substring(hash + 1)));
    }

    /** Returns whether it prints failures without their messages. */
    public boolean hidesMessages() {
        return this == GRADLE;
    }

    abstract String pattern(String type, String method);

    private static String fitting(String name) {
        return MEANT_OTHERWISE.matcher(name).replaceAll("?");
    }

    /** Returns an argument quoted for POSIX shells. */
    private static String quoted(String argument) {
        return PLAIN.matcher(argument).matches() ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }
}
