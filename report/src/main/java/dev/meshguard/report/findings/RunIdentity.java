package dev.meshguard.report.findings;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The run and the JVM that wrote a file of findings, with its start, commit and machine; every line of the file repeats them.
 *
 * @param run the name of the run, which all its JVMs have in common
 * @param jvm the name of the file's execution of tests, which no other file has
 * @param began when the JVM began its tests, to the millisecond; commits are ordered by it
 * @param commit the commit that was tested, if it is known
 * @param machine the machine that ran the tests, if it is known
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RunIdentity(String run, String jvm, Instant began, Optional<String> commit, Optional<String> machine) {

    /** Creates an identity. Databases do not agree on finer fractions of a second than milliseconds. */
    public RunIdentity {
        began = began.truncatedTo(ChronoUnit.MILLIS);
    }
}
