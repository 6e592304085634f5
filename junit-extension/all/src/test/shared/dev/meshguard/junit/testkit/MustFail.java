package dev.meshguard.junit.testkit;

import dev.meshguard.verdict.Outcome;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The expected failure of a test of a fixture, of one of its classes, or of the run; {@link FixtureChecks} verifies it. */
@Repeatable(MustFail.All.class)
@Retention(RetentionPolicy.RUNTIME)
public @interface MustFail {

    /** Whether the test is aborted instead. */
    boolean aborted() default false;

    /** The invocation that fails, from 1; by default the last one, and all before succeed. */
    int invocation() default 0;

    /** Whether it is that of the container of the invocations or dynamic tests. */
    boolean container() default false;

    /** Whether the run fails, and not the class with this annotation. */
    boolean run() default false;

    /** The outcome of the leak that the failure is. */
    Outcome[] verdict() default {};

    /** The type of the error. */
    Class<? extends Throwable> error() default Throwable.class;

    /** The whole message, line numbers masked. */
    String message() default "";

    /** Parts of the message, line numbers masked, however its lines are broken. */
    String[] text() default {};

    /** The outcome of the leak that is suppressed in the failure and published. */
    Outcome[] suppressed() default {};

    /** The only error that is suppressed in the failure, line numbers masked. */
    String[] note() default {};

    /** Whether nothing is suppressed in the failure and nothing published. */
    boolean alone() default false;

    /** A part of the only published text. */
    String[] published() default {};

    /** The class and method to which an IDE jumps. */
    String frame() default "";

    /** That of a container beside that of a test in it. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {

        /** Both. */
        MustFail[] value();
    }
}
