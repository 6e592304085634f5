package dev.meshguard.samples.support;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Marks a test class that is meant to fail: only {@link Fixtures} runs it, never an IDE or a build by accident. */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Fixture.EnabledByFixtures.class)
public @interface Fixture {

    /** The configuration parameter that {@link Fixtures} sets. */
    String ENABLED = "meshguard.samples.on-purpose";

    /** Enables fixtures in runs that request them. */
    class EnabledByFixtures implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return context.getConfigurationParameter(ENABLED).isPresent()
                    ? ConditionEvaluationResult.enabled("asked for")
                    : ConditionEvaluationResult.disabled("a fixture that is meant to fail");
        }
    }
}
