package dev.meshguard.example.foreign;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;

/** Runs each test of classes of JUnit 4, with the methods around it, inside of a test that is tracked. */
class JUnit4Tests {

    /** The names of the classes, separated by white space. */
    private static final String CLASSES = "foreign.classes";

    /** Matches the tests that cannot pass here, for example {@code NetTest.testUpgrade}. */
    private static final String EXCLUDED = "foreign.excluded";

    static Stream<Description> tests() throws ClassNotFoundException {
        Pattern excluded = Pattern.compile(System.getProperty(EXCLUDED, ""));
        List<Description> tests = new ArrayList<>();
        for (String name : System.getProperty(CLASSES).strip().split("\\s+")) {
            addTests(Request.aClass(Class.forName(name)).getRunner().getDescription(), tests);
        }
        return tests.stream().filter(test -> !excluded.matcher(nameOf(test)).matches());
    }

    private static void addTests(Description description, List<Description> tests) {
        if (description.isTest()) {
            tests.add(description);
        }
        description.getChildren().forEach(child -> addTests(child, tests));
    }

    private static String nameOf(Description test) {
        return test.getTestClass().getSimpleName() + "." + test.getMethodName();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tests")
    void runs(Description test) throws Throwable {
        List<Failure> failures = new JUnitCore()
                .run(Request.aClass(test.getTestClass()).filterWith(test))
                .getFailures();

        if (!failures.isEmpty()) {
            throw failures.get(0).getException();
        }
    }
}
