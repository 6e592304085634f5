package dev.meshguard.junit.testkit;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The configuration of the run of a fixture. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Configured {

    /** Parameters, each with a value after an equals sign. */
    String[] value() default {};

    /** Whether its tests run at the same time. */
    boolean concurrently() default false;
}
