package dev.meshguard.server.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * A program that tests of the clients run.
 *
 * <p>Where it is not installed the tests are skipped and say so. With {@code MESHGUARD_CLIENTS=required} in the environment they fail.
 */
enum ClientTool {
    GCC("gcc", "gcc", "--version"),
    PYTHON("python3", "python3", "--version"),
    PYTEST("python3-pytest", "python3", "-c", "import pytest");

    private final String debianPackage;

    @SuppressWarnings("ImmutableEnumChecker") // An unmodifiable copy.
    private final List<String> check;

    ClientTool(String debianPackage, String... check) {
        this.debianPackage = debianPackage;
        this.check = List.of(check);
    }

    /** Skips the test if the tool is missing, or fails it if it is required. */
    void require() throws IOException, InterruptedException {
        if (isInstalled()) {
            return;
        }
        String missing =
                String.join(" ", check) + " does not run, so no client was tested with it. Install it (Debian: apt-get"
                        + " install " + debianPackage + ").";
        if ("required".equals(System.getenv("MESHGUARD_CLIENTS"))) {
            throw new IllegalStateException(missing);
        }
        System.out.println("SKIPPED: " + missing);
        throw new TestAbortedException(missing);
    }

    private boolean isInstalled() throws InterruptedException {
        try {
            Process process = new ProcessBuilder(new ArrayList<>(check))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (IOException notFound) {
            return false;
        }
    }
}
