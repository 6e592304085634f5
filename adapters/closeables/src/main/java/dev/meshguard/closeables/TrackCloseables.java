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
 * {@code @TrackCloseables} fails a test that leaves objects of a class open. The code under test is unchanged.
 *
 * <pre>{@code
 * @TrackAllocations
 * @TrackCloseables({RocksIterator.class, Deflater.class})
 * class StoreTest {
 *     @Test
 *     void scans() { … }
 * }
 * }</pre>
 *
 * <p>Each object of these classes and their subclasses that any code constructs during the test must be closed before the test
 * ends. The failure names the line that constructed it, and the field that holds it.
 *
 * <h2>The closing method</h2>
 *
 * <p>It is {@code close()}, or else {@code end()}, as in {@link java.util.zip.Deflater}. {@link #closedBy} names another.
 *
 * <ul>
 * <li>An object is closed when its closing method returns. If a subclass overrides the method, the override must return.
 * <li>If the method throws, the object stays open, and the failure names the exception.
 * <li>A second call does nothing.
 * <li>A call by a {@link java.lang.ref.Cleaner} or a finalizer closes nothing: nobody chooses the moment.
 * <li>If the constructor throws, there is no object to close. If it calls the closing method, the object is closed.
 * <li>A clone is no object of its own, and whether its close frees what the original holds depends on the class. So close the original.
 * <li>A spy of Mockito is no object of its own either: closing the spy closes its original.
 * </ul>
 *
 * <p>An object that the constructor of another open one made for itself is reported with that one, because its close closes both.
 *
 * <h2>What is not tracked</h2>
 *
 * <ul>
 * <li>Objects that were constructed before the first class that names theirs began.
 * <li>Objects that the JDK keeps for later: those that a class loader constructs, except for streams that it returns, and the inflaters of
 *     {@link java.util.zip.ZipFile} and of its file system. An archive of a URL is one of them while the JDK caches it.
 * <li>Objects of the JDK that JUnit and MeshGuard construct for themselves.
 * <li>Objects that a static initializer constructs last as long as their class. They are expected.
 * </ul>
 *
 * <h2>Whose object it is</h2>
 *
 * <p>It belongs to the test whose code constructs it, on any thread, if that is certain; {@code docs/lifecycle.md} has the rules. An
 * object of no test is checked at the end of the run. One that is constructed while JUnit runs no tests, before or after the run, is not
 * tracked. A test binds threads that are older than it with {@link dev.meshguard.junit.TestThreads}.
 *
 * <h2>Java agent</h2>
 *
 * <p>MeshGuard adds calls to the constructors and closing methods of these classes by Byte Buddy, when the first class with the
 * annotation begins. It needs a Java agent. If there is none, it attaches one: JDK 21 and later print a warning. Without a warning, and
 * where no agent may be attached, add {@code -javaagent:} with the path of {@code byte-buddy-agent} to the command line of the tests.
 *
 * <p>When the first object of a class is constructed, MeshGuard looks at the class, for which its class loader may load others. The thread
 * waits for ever if another one holds the lock of the class loader and waits for a lock of this thread: only with a class loader that is not
 * {@linkplain ClassLoader#registerAsParallelCapable() parallel capable}. Any other class that is loaded there has the same effect.
 *
 * <h2>Precedence</h2>
 *
 * <p>The annotation takes no other source from a test: the test examines its mesh, its Netty buffers or its processes too. Used
 * alone, it tracks the test with the defaults of {@link dev.meshguard.junit.TrackAllocations}.
 *
 * <p>The nearest annotation counts as a whole: that of the method, else of the class, else of the nearest enclosing class. JUnit also
 * finds it on interfaces and superclasses, and as a meta-annotation. On a method it requires memory for that method: if the lifetime is
 * longer than a test, the annotation is an error.
 *
 * @since 0.1
 * @see NativeHandles
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(MeshGuardExtension.class)
@API(status = Status.EXPERIMENTAL, since = "0.1")
public @interface TrackCloseables {

    /**
     * Returns the classes. Objects of their subclasses are tracked too.
     *
     * <p>An interface that a lambda expression can implement is an error: name the classes that implement it.
     */
    Class<?>[] value() default {};

    /**
     * Returns the binary names of classes that the test cannot see, for example {@code org.rocksdb.RocksIterator} or
     * {@code dev.example.Store$Cursor}: those that are not public, or of another class loader.
     *
     * <p>If no class of such a name is loaded until the end of a test, its verdict is inconclusive.
     */
    String[] names() default {};

    /**
     * Returns the names of closing methods without parameters, for example {@code dispose}. A class that has one of them is closed by it
     * alone; the others are closed by the methods that MeshGuard knows.
     */
    String[] closedBy() default {};
}
