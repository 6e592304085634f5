package dev.meshguard.junit.mesh;

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
 * {@code @FaultMatrix} runs a test for each combination of fault plans and defects, and prints the results as a grid.
 *
 * <p>Use it instead of {@code @Test}. {@link FailEachAllocation} injects one kind of fault everywhere; this annotation
 * injects chosen faults.
 *
 * <pre>{@code
 * @FaultMatrix(
 *         plans = {"failingOperation(1)", "deviceStopsAnswering(0, 2)", "closingTwice()"},
 *         defects = RuntimeDefect.DEVICE_INITIALISED_TWICE)
 * void decode(MeshDevice mesh, Ttnn ttnn) { … }
 * }</pre>
 *
 * <p>The rows are no fault and each plan, the columns are no defect and each defect. Every cell is one invocation, so
 * the example has eight. The first has neither fault nor defect. Faults and defects of
 * {@link dev.meshguard.junit.TrackAllocations} are injected into every cell.
 *
 * <h2>Result of a cell</h2>
 *
 * <ul>
 * <li>The test method may throw an error that its plan caused, directly or as the cause of another exception. Any other
 *     exception fails the cell, including a crash that a defect simulates.
 * <li>The check of the test must hold at the end, as for every test. Defects and lost reports make the reported counts
 *     wrong, which some tests expect: {@code check = NO_LEAKS} checks memory only, and {@link #accepted} names correct
 *     outcomes.
 * <li>A plan without effect fails its cell, because nothing was tested. Numbers count from the first allocation,
 *     operation and report of the cell's {@code Ttnn} on, including lifecycle methods.
 * </ul>
 *
 * <p>After all cells, the grid is published as a report entry of the method, with the first line of each failure. The
 * cells run sequentially on one thread, each with an instance, a mesh and a tracker of its own.
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

    /**
     * Returns the fault plans, a row each, in the syntax of {@code @TrackAllocations}:
     * {@code failingAllocation(3).closingTwice()}.
     */
    String[] plans() default {};

    /** Returns the defects of the runtime, a column each. */
    RuntimeDefect[] defects() default {};

    /**
     * Returns the outcomes that are correct in a cell with a fault or a defect, in addition to those that the check
     * accepts.
     */
    Outcome[] accepted() default {};
}
