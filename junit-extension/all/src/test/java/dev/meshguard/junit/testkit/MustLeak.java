package dev.meshguard.junit.testkit;

import dev.meshguard.verdict.Outcome;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;

/** A test of a fixture that must fail for its leak. */
@Test
@MustFail(verdict = Outcome.LEAKED)
@Retention(RetentionPolicy.RUNTIME)
public @interface MustLeak {}
