package dev.meshguard.mockito;

import dev.meshguard.tracker.Scope;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.mockito.Mockito;
import org.mockito.exceptions.misusing.RedundantListenerException;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.listeners.InvocationListener;
import org.mockito.listeners.MethodInvocationReport;
import org.mockito.listeners.MockCreationListener;
import org.mockito.mock.MockCreationSettings;

/**
 * Reports calls of mocks that other code configured, without changing their answers.
 *
 * <pre>{@code
 * MockListener.create()
 *         .on("allocate", allocating(tracker, DRAM).onDeviceArgument(0))
 *         .on("free", freeing(tracker).onDeviceArgument(0))
 *         .attachTo(device);
 * }</pre>
 *
 * <p>The address, or the handle, is what the mock returned; {@code returning} is ignored. Spies work in the same way.
 * Verifications and {@code doReturn(…).when(mock)} are not calls and are not reported. {@code when(mock.allocate(8))} is a
 * call, so stub a mock first and attach the listener afterwards.
 *
 * <p>Immutable, and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MockListener implements InvocationListener {

    private final List<MethodBinding> routes;

    private MockListener(List<MethodBinding> routes) {
        this.routes = List.copyOf(routes);
    }

    /** Returns a listener without reports. */
    public static MockListener create() {
        return new MockListener(List.of());
    }

    /**
     * Returns this listener with a method that is reported as an allocation.
     *
     * @param method the name, or {@code allocate(int, long)} for one of several of that name
     * @param report how to read a call
     */
    public MockListener on(String method, Allocating report) {
        return with(new MethodBinding(method, report::check, report::reportIfAllocated, report.memory()));
    }

    /**
     * Returns this listener with a method that is reported as a free.
     *
     * @param method the name, or {@code free(int, long)} for one of several of that name
     * @param report how to read a call
     */
    public MockListener on(String method, Freeing report) {
        return with(new MethodBinding(method, report::check, (call, returned) -> report.report(call), report.memory()));
    }

    /**
     * Reports later calls of a mock or a spy; a second call does nothing.
     *
     * @return the mock
     * @throws IllegalArgumentException if it is not a mock, lacks one of the methods, or has one that cannot be reported
     */
    public <T> T attachTo(T mock) {
        if (!Mockito.mockingDetails(mock).isMock()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot listen to a %s that is neither a mock nor a spy. Pass what Mockito made.",
                    mock.getClass().getSimpleName()));
        }
        attachTo(Mockito.mockingDetails(mock).getMockCreationSettings());
        return mock;
    }

    /**
     * Attaches the listener to every mock of a type that this thread creates until the scope is closed, also if the code under
     * test creates it.
     *
     * <p>Close the scope on the thread that opened it, because Mockito keeps such listeners by thread. The listener is not
     * attached to a mock that another thread creates. The tracker records this, and reports mention it in a note.
     *
     * @throws IllegalArgumentException if the type lacks one of the methods, or has one that cannot be reported
     * @throws IllegalStateException if this thread has such a scope open
     */
    public Scope attachToMocksOf(Class<?> type) {
        check(type);
        Newcomers newcomers = new Newcomers(type);
        try {
            Mockito.framework().addListener(newcomers);
        } catch (RedundantListenerException openAlready) {
            throw new IllegalStateException(
                    "Cannot listen to new mocks twice on one thread. Close the scope that is open before.",
                    openAlready);
        }
        String covers = String.format(
                Locale.ROOT,
                "mocks of %s that thread \"%s\" makes",
                type.getSimpleName(),
                Thread.currentThread().getName());
        routes.stream().map(MethodBinding::memory).distinct().forEach(memory -> memory.covers(covers));
        return () -> Mockito.framework().removeListener(newcomers);
    }

    /** Reports a call; called by Mockito. */
    @Override
    public void reportInvocation(MethodInvocationReport report) {
        if (!report.threwException() && report.getInvocation() instanceof InvocationOnMock call && isCall(call)) {
            routes.stream()
                    .filter(route -> route.fits(new Signature(call.getMethod())))
                    .findFirst()
                    .ifPresent(route -> route.reporting().report(call, report.getReturnedValue()));
        }
    }

    /** A mock records its calls, but neither verifications nor stubbings. A mock that records nothing cannot be checked. */
    private static boolean isCall(InvocationOnMock call) {
        return Mockito.mockingDetails(call.getMock()).getMockCreationSettings().isStubOnly()
                || Mockito.mockingDetails(call.getMock()).getInvocations().stream()
                        .anyMatch(remembered -> isSame(remembered, call));
    }

    @SuppressWarnings("ReferenceEquality") // Two calls with the same arguments are distinct calls.
    private static boolean isSame(Object remembered, InvocationOnMock call) {
        return remembered == call;
    }

    private MockListener with(MethodBinding route) {
        List<MethodBinding> more = new ArrayList<>(routes);
        more.add(route);
        return new MockListener(more);
    }

    private void attachTo(MockCreationSettings<?> settings) {
        check(settings.getTypeToMock());
        List<InvocationListener> listeners = settings.getInvocationListeners();
        if (!listeners.contains(this)) {
            listeners.add(this);
        }
    }

    private void check(Class<?> type) {
        List<Signature> methods = methodsOf(type);
        routes.forEach(route -> route.check(type, methods));
    }

    /** Returns the methods of a class and of all its supertypes; an override counts once. */
    private static List<Signature> methodsOf(Class<?> type) {
        Map<String, Signature> methods = new TreeMap<>();
        for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                add(method, methods);
            }
        }
        for (Method method : type.getMethods()) {
            add(method, methods);
        }
        return List.copyOf(methods.values());
    }

    private static void add(Method method, Map<String, Signature> methods) {
        if (!method.isSynthetic()
                && !Modifier.isStatic(method.getModifiers())
                && method.getDeclaringClass() != Object.class) {
            Signature signature = new Signature(method);
            methods.putIfAbsent(signature.description(), signature);
        }
    }

    /** Attaches the listener to each new mock of a type. */
    private final class Newcomers implements MockCreationListener {

        private final Class<?> type;

        Newcomers(Class<?> type) {
            this.type = type;
        }

        @Override
        public void onMockCreated(Object mock, MockCreationSettings<?> settings) {
            if (type.isAssignableFrom(settings.getTypeToMock())) {
                attachTo(settings);
            }
        }
    }
}
