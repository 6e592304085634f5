package dev.meshguard.closeables;

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
 * {@code @TrackDirectMemory} fails a test after which direct or mapped buffers are still reachable. The code under test is
 * unchanged.
 *
 * <pre>{@code
 * @TrackAllocations
 * @TrackDirectMemory
 * class CodecTest {
 *     @Test
 *     void encodes() { … }
 * }
 * }</pre>
 *
 * <p>Each buffer that {@link java.nio.ByteBuffer#allocateDirect} or {@link java.nio.channels.FileChannel#map} returns to any code
 * during the test must be garbage when the test ends. The failure names the line that allocated it, its size, and the field or the
 * thread local that holds it.
 *
 * <h2>When a buffer is free</h2>
 *
 * <p>No code frees such a buffer: the JDK does, some time after the garbage collector found it. So a buffer that was dropped is free. If
 * buffers of a test are left when it ends, the check forces a collection first, and only those that survive it are leaks.
 *
 * <ul>
 * <li>A slice, a duplicate and a view are no buffers of their own. Who holds one holds the memory of its buffer.
 * <li>{@code sun.misc.Unsafe.invokeCleaner}, which libraries such as Netty call, frees a buffer at once.
 * <li>A field of the test holds its buffer too, because JUnit keeps the test instance until after the check. Use a local variable, or empty
 *     the field in an {@code @AfterEach} method.
 * <li>A library that keeps memory for later holds it. {@linkplain dev.meshguard.junit.ExpectBuffers Expect} such buffers with a reason.
 * <li>Until a collection, a dropped buffer counts as allocated: in peaks, budgets, and assertions within the test.
 * <li>With {@code -XX:+DisableExplicitGC} the verdict is inconclusive if a buffer is left.
 * </ul>
 *
 * <h2>What is not tracked</h2>
 *
 * <ul>
 * <li>Buffers that were allocated before the first class with the annotation began.
 * <li>Buffers of no bytes, which are often constants.
 * <li>Buffers that the JDK keeps for itself, for example a copy for each thread that writes a heap buffer to a channel.
 * <li>Memory that is no buffer: memory segments, also mapped ones, and what native code allocates.
 * <li>Buffers that a static initializer allocates last as long as their class. They are expected.
 * </ul>
 *
 * <p>If the memory of the JDK's buffer pools has grown by more than the buffers that were seen, while no other test with the annotation ran,
 * a note says so.
 *
 * <h2>Whose buffer it is</h2>
 *
 * <p>It belongs to the test whose code allocates it, on any thread, if that is certain; {@code docs/lifecycle.md} has the rules. A
 * buffer of no test is checked at the end of the run. A test binds threads that are older than it with
 * {@link dev.meshguard.junit.TestThreads}.
 *
 * <p>The buffer of a thread local lasts as long as its thread. Call {@code ThreadLocal.remove()} where its use ends, or
 * {@linkplain dev.meshguard.junit.ExpectBuffers expect} the buffer with a reason.
 *
 * <h2>Java agent</h2>
 *
 * <p>MeshGuard adds calls to the constructors of these buffers by Byte Buddy, when the first class with the annotation begins. It needs
 * the Java agent of {@link TrackCloseables}, which explains it.
 *
 * <h2>Precedence</h2>
 *
 * <p>The annotation takes no other source from a test: the test examines its mesh, its Netty buffers or its objects too. Used alone, it
 * tracks the test with the defaults of {@link dev.meshguard.junit.TrackAllocations}.
 *
 * <p>JUnit also finds it on interfaces, superclasses and enclosing classes, and as a meta-annotation. On a method it requires memory for
 * that method: if the lifetime is longer than a test, the annotation is an error.
 *
 * @since 0.1
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface TrackDirectMemory {}
