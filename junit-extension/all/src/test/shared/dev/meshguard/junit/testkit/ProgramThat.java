package dev.meshguard.junit.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** A test that is a small program with memory of a library; at most one run of each in a Java machine. */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ProgramThat {

    /** Its description in the table. */
    String value();

    /** How many buffers are never freed, although no code waits to do so. */
    int leaks() default 0;
}
