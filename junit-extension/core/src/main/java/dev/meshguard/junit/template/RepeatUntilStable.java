package dev.meshguard.junit.template;

import dev.meshguard.junit.MeshGuardExtension;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code @RepeatUntilStable} repeats a test on one mesh until a trend is certain, and fails if memory grows.
 *
 * <p>Use it instead of {@code @Test}. Unlike {@code @RepeatedTest} it determines the number of repetitions itself.
 *
 * <pre>{@code
 * @RepeatUntilStable
 * void decode(MeshDevice mesh, Ttnn ttnn) {
 *     model.decode(ttnn, mesh, tokens);
 * }
 * }</pre>
 *
 * <p>Each repetition is a round, including lifecycle methods. All rounds share one mesh, {@code Ttnn} and tracker,
 * which no other test uses and which last until the end of the last round.
 * {@link dev.meshguard.verdict.growth.Accumulation} judges the survivors of each round, by the rule of
 * {@link dev.meshguard.verdict.growth.Trend}. A cache that the first rounds fill is no growth; additional memory in
 * every round is.
 *
 * <h2>When it ends</h2>
 *
 * <ul>
 * <li>After the first round at which memory has settled or is settling: this round succeeds like all before it.
 * <li>After the first round at which memory grows: this round fails, with the slope and the lines that allocate the
 *     memory.
 * <li>After a round that fails or is aborted by itself.
 * <li>After {@link #atMost} undecided rounds, or if reports are missing and growth is unknown: that fails too.
 * </ul>
 *
 * <p>Rounds without any allocation fail, because nothing was judged. Memory still allocated after the last round is
 * freed without a check, because the content of a cache is no growth; write a separate test for it. Two rounds after
 * the warm-up show a leak of every round. A leak in every fifth round shows only with a larger {@link #atLeast}.
 *
 * @since 0.1
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({MeshGuardExtension.class, RepeatUntilStableExtension.class})
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface RepeatUntilStable {

    /** Returns the number of warm-up rounds, whose survivors count as a cache; at least 0. */
    int warmUp() default 1;

    /**
     * Returns the minimum number of rounds before a decision; at least 1, and never fewer than two after the warm-up.
     */
    int atLeast() default 3;

    /** Returns the maximum number of rounds before a decision; not less than the minimum. */
    int atMost() default 20;
}
