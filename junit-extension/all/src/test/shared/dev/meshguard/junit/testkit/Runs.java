package dev.meshguard.junit.testkit;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The number of invocations or dynamic tests that a method of a fixture has; without it, one. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Runs {

    /** Their number. */
    int value();
}
