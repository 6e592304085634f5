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
 * {@code @RepeatUntilStable} repeats a test on one mesh until it is decided whether memory grows, and fails if it does.
 *
 * <p>Written in place of {@code @Test}. Unlike a {@code @RepeatedTest} it knows when to stop.
 *
 * <pre>{@code
 * @RepeatUntilStable
 * void decode(MeshDevice mesh, Ttnn ttnn) {
 *     model.decode(ttnn, mesh, tokens);
 * }
 * }</pre>
 *
 * <p>Each repetition is a round, lifecycle methods and all. The mesh, the {@code Ttnn} and the tracker that it is given are the same in
 * all of them, and no other test's: they last until the last round is over. What a round leaves there is what
 * {@link dev.meshguard.verdict.growth.Accumulation} judges, by the rule of {@link dev.meshguard.verdict.growth.Trend}: a cache that the
 * first rounds fill is no growth, something more in every round is.
 *
 * <h2>When it ends</h2>
 *
 * <ul>
 *   <li>With the first round after which memory has settled or is settling, which succeeds as all before it did.
 *   <li>With the first one after which memory grows, which fails, with the slope, the lines that ask for the memory and a forecast.
 *   <li>With a round that fails or is aborted by itself.
 *   <li>After {@link #atMost} rounds undecided, or when it cannot be known because reports are missing: that fails too.
 * </ul>
 *
 * <p>Rounds that take no memory at all fail, because nothing was judged. What is left when the last round is over is closed without a
 * check, because what a cache keeps is no growth; write a test of its own for it. Two rounds after the warm-up show a leak of every round;
 * one that comes with every fifth shows only if {@link #atLeast} asks for more.
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

    /** Returns how many rounds are for warming up: what they leave is a cache; at least 0. */
    int warmUp() default 1;

    /** Returns how many rounds there are before anything is decided; at least 1, and never fewer than two after the warm-up. */
    int atLeast() default 3;

    /** Returns after how many rounds it must be decided; at least as many as there must be. */
    int atMost() default 20;
}
