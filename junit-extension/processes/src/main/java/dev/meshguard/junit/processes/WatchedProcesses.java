package dev.meshguard.junit.processes;

import dev.meshguard.junit.MeshGuardExtension;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@code @WatchedProcesses} checks the memory of other processes, which report to a server of the test.
 *
 * <pre>{@code
 * @TrackAllocations
 * @WatchedProcesses
 * class DecoderProgramTest {
 *     @Test
 *     void decodes(TrackedProcesses processes) throws Exception {
 *         processes.start("./decoder", "--once").await(Duration.ofSeconds(10));
 *     }
 * }
 * }</pre>
 *
 * <p>A test, constructor or lifecycle method can declare a parameter of these types:
 *
 * <ul>
 * <li>{@link dev.meshguard.server.process.TrackedProcesses}: starts programs, each of which is checked separately;
 * <li>{@link dev.meshguard.server.AllocationServer}: receives reports of any program.
 * </ul>
 *
 * <p>Used alone, it tracks the test with the defaults of {@link dev.meshguard.junit.TrackAllocations}. The nearest
 * annotation of a source applies: on the method, else on the class, its superclasses and interfaces, else on the enclosing
 * classes. It may be used as a meta-annotation.
 *
 * <p>Each program has a verdict of its own, so {@link dev.meshguard.junit.Accounting#EACH_TEST} is an error.
 *
 * @since 0.1
 * @see WatchedProcessesSource
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface WatchedProcesses {}
