package dev.meshguard.junit.testkit;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** A part of the only text that a test of a fixture publishes although it succeeds. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Publishes {

    /** The part. */
    String value();
}
