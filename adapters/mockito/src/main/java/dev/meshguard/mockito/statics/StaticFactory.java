package dev.meshguard.mockito.statics;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;
import org.mockito.invocation.Invocation;

/**
 * A class whose static methods return handles of memory, and how one can see that a handle was closed.
 *
 * <pre>{@code
 * StaticFactory.of(NativeTensor.class).closedWhen(NativeTensor::isClosed).size(NativeTensor::bytes)
 * StaticFactory.of(Arena.class).methods("ofConfined", "ofShared").closedBy(Arena::close)
 * StaticFactory.of(Unpooled.class).returning(ByteBuf.class).closedWhen(buffer -> buffer.refCnt() == 0)
 * }</pre>
 *
 * <p>The factories are the static methods whose return type is the type of the handles, or a subtype. Name them with
 * {@link #methods} if others return handles that nobody has to close.
 *
 * <p>Immutable: each option returns another factory.
 *
 * @param <T> the type of the handles
 * @since 0.1
 * @see StaticFactories#track
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class StaticFactory<T> {

    private final Class<?> type;
    private final Class<T> handles;
    private final Optional<Predicate<? super T>> isClosed;
    private final Optional<Method> close;
    private final ToLongFunction<? super T> bytes;
    private final boolean isFreedOnCollection;
    /** Empty for all of them. */
    private final Set<String> methods;

    private StaticFactory(
            Class<?> type,
            Class<T> handles,
            Optional<Predicate<? super T>> isClosed,
            Optional<Method> close,
            ToLongFunction<? super T> bytes,
            boolean isFreedOnCollection,
            Set<String> methods) {
        this.type = type;
        this.handles = handles;
        this.isClosed = isClosed;
        this.close = close;
        this.bytes = bytes;
        this.isFreedOnCollection = isFreedOnCollection;
        this.methods = methods;
    }

    /** A call that closes a handle. */
    @FunctionalInterface
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public interface CloseCall<T> {

        /** Closes a handle. */
        void close(T handle) throws Exception;
    }

    /** Returns the factories of a class that return its own objects. */
    public static <T> StaticFactory<T> of(Class<T> type) {
        return new StaticFactory<>(type, type, Optional.empty(), Optional.empty(), handle -> 0, false, Set.of());
    }

    /** Returns the factories of this class that return other handles; set its other options afterwards. */
    public <H> StaticFactory<H> returning(Class<H> newHandles) {
        return new StaticFactory<>(type, newHandles, Optional.empty(), Optional.empty(), handle -> 0, false, methods);
    }

    /**
     * Tracks what these methods return, and nothing that the others do.
     *
     * @param names the names of static methods, for all their overloads; at least one
     */
    public StaticFactory<T> methods(String... names) {
        return new StaticFactory<>(
                type, handles, isClosed, close, bytes, isFreedOnCollection, new TreeSet<>(List.of(names)));
    }

    /**
     * Asks each handle whether it is closed, before each look at what is allocated. Until then the handle is held strongly.
     *
     * @param newIsClosed called by the thread of the check
     */
    public StaticFactory<T> closedWhen(Predicate<? super T> newIsClosed) {
        return new StaticFactory<>(
                type, handles, Optional.of(newIsClosed), Optional.empty(), bytes, isFreedOnCollection, methods);
    }

    /**
     * Sees each call of a method that closes a handle, on any thread. If the call throws, the memory is still allocated, and the
     * exception is evidence of the verdict.
     *
     * <p>The code under test gets a wrapper, which implements the interface of the handles and nothing else.
     *
     * @param call calls the method, for example {@code Arena::close}; it receives a mock
     * @throws IllegalArgumentException if the handles are not those of an interface that anyone may implement, or if the call
     *     is not one call of a method of the handle
     */
    public StaticFactory<T> closedBy(CloseCall<? super T> call) {
        if (!handles.isInterface() || handles.isSealed()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot see the close of a %s: it cannot be wrapped, because it is %s. Ask it with closedWhen(…).",
                    handles.getSimpleName(),
                    handles.isInterface() ? "a sealed interface" : "no interface"));
        }
        return new StaticFactory<>(
                type, handles, Optional.empty(), Optional.of(methodOf(call)), bytes, isFreedOnCollection, methods);
    }

    private Method methodOf(CloseCall<? super T> call) {
        T probe = Mockito.mock(handles);
        try {
            call.close(probe);
        } catch (Exception notClosed) {
            throw unclear(notClosed);
        }
        Collection<Invocation> calls = Mockito.mockingDetails(probe).getInvocations();
        if (calls.size() != 1) {
            throw unclear(null);
        }
        return calls.iterator().next().getMethod();
    }

    private IllegalArgumentException unclear(@Nullable Exception cause) {
        return new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "Cannot see which method closes a %s. Call that method of the handle, and no other:"
                                + " closedBy(handle -> handle.close()).",
                        handles.getSimpleName()),
                cause);
    }

    /**
     * Reads the size in bytes off a handle when a factory returns it; without this option it is unknown.
     *
     * @param newBytes returns the size, from 0; 0 if it is unknown
     */
    public StaticFactory<T> size(ToLongFunction<? super T> newBytes) {
        return new StaticFactory<>(type, handles, isClosed, close, newBytes, isFreedOnCollection, methods);
    }

    /**
     * Says that the library frees memory some time after its handle was garbage collected, for example with a
     * {@link java.lang.ref.Cleaner}.
     *
     * <p>A dropped handle is still a leak, because nothing bounds the time until the collector finds it. The failure then says that
     * only the collector frees it, and no longer that no code can.
     */
    public StaticFactory<T> freedOnCollection() {
        return new StaticFactory<>(type, handles, isClosed, close, bytes, true, methods);
    }

    /** Rejects a factory whose handles could not be tracked. */
    void check() {
        if (isClosed.isEmpty() && close.isEmpty()) {
            throw rejected(
                    "nothing says when a %s is closed. Add closedWhen(…) or closedBy(…)", handles.getSimpleName());
        }
        Set<String> known = Arrays.stream(type.getDeclaredMethods())
                .filter(this::returnsHandle)
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        if (known.isEmpty()) {
            throw rejected(
                    "none of its static methods returns a %s. Name the class with the factories in of(…), and what they"
                            + " return in returning(…)",
                    handles.getSimpleName());
        }
        methods.stream().filter(name -> !known.contains(name)).findFirst().ifPresent(unknown -> {
            throw rejected(
                    "no static method %s returns a %s. Name one of %s",
                    unknown, handles.getSimpleName(), String.join(", ", known));
        });
    }

    private IllegalArgumentException rejected(String reason, Object... values) {
        return new IllegalArgumentException(
                "Cannot track " + name() + ": " + String.format(Locale.ROOT, reason, values) + ".");
    }

    /** Returns whether a method of the class is one of its factories. */
    boolean isFactory(Method method) {
        return returnsHandle(method) && (methods.isEmpty() || methods.contains(method.getName()));
    }

    private boolean returnsHandle(Method method) {
        return Modifier.isStatic(method.getModifiers()) && handles.isAssignableFrom(method.getReturnType());
    }

    Class<?> type() {
        return type;
    }

    String name() {
        return type.getSimpleName();
    }

    Class<T> handles() {
        return handles;
    }

    Optional<Predicate<? super T>> isClosed() {
        return isClosed;
    }

    /** Returns whether a method is the one that closes a handle; a subtype may declare it again. */
    boolean isClose(Method method) {
        return close.filter(own -> own.getName().equals(method.getName())
                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()))
                .isPresent();
    }

    ToLongFunction<? super T> bytes() {
        return bytes;
    }

    boolean isFreedOnCollection() {
        return isFreedOnCollection;
    }
}
