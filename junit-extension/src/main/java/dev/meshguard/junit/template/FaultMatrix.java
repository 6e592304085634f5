package dev.meshguard.junit.template;

import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.mesh.runtime.RuntimeDefect;
import dev.meshguard.verdict.Outcome;
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
 * {@code @FaultMatrix} runs a test once for each of some fault plans and defects, and shows what became of it as a grid.
 *
 * <p>Written in place of {@code @Test}. Where {@link FailEachAllocation} tries one kind of fault everywhere, this tries chosen ones.
 *
 * <pre>{@code
 * @FaultMatrix(
 *         plans = {"failingOperation(1)", "deviceStopsAnswering(0, 2)", "closingTwice()"},
 *         defects = RuntimeDefect.DEVICE_INITIALISED_TWICE)
 * void decode(MeshDevice mesh, Ttnn ttnn) { … }
 * }</pre>
 *
 * <p>The rows are no fault and each plan, the columns are no defect and each defect; every cell is one run, so that the two above make
 * eight. The first has neither. What {@link dev.meshguard.junit.TrackAllocations} asks for by itself is there in every cell.
 *
 * <h2>What becomes of a cell</h2>
 *
 * <ul>
 *   <li>An error that its plan brought about may leave the test method, as it is or as the cause of another exception. Any other
 *       exception fails the cell; so does a crash that a defect stands for.
 *   <li>The check of the test must hold at the end, as everywhere. Defects and lost reports put the books wrong, which is what some
 *       tests are after: {@code check = NO_LEAKS} asks of memory alone, and {@link #accepted} names outcomes that are right.
 *   <li>A plan of which nothing happened fails its cell, because nothing was tried. Numbers count from the first allocation,
 *       operation and report of the cell's {@code Ttnn} on, lifecycle methods included.
 * </ul>
 *
 * <p>When all cells are over, the grid is published as a report entry of the method, with the first line of each failure. The cells come
 * one after the other on one thread, each with an instance, a mesh and a tracker of its own.
 *
 * @since 0.1
 * @see dev.meshguard.mesh.fault.FaultPlan
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@TestTemplate
@Execution(ExecutionMode.SAME_THREAD)
@ExtendWith({MeshGuardExtension.class, FaultMatrixExtension.class})
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface FaultMatrix {

    /** Returns what goes wrong at run time, a row each, as {@code @TrackAllocations} has it: {@code failingAllocation(3).closingTwice()}. */
    String[] plans() default {};

    /** Returns what goes wrong in the runtime, a column each. */
    RuntimeDefect[] defects() default {};

    /** Returns outcomes that are right in a cell with a fault or a defect, besides those that the check lets pass. */
    Outcome[] accepted() default {};
}
