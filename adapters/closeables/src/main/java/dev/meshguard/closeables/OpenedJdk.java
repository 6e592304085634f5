package dev.meshguard.closeables;

import dev.meshguard.handle.JdkReferences;
import dev.meshguard.weave.JdkLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Reads what views of buffers and thread locals hold, by an agent. */
final class OpenedJdk implements JdkReferences {

    private final UnaryOperator<Object> attachment;
    private final List<UnaryOperator<Object>> mapsOfThread;
    private final UnaryOperator<Object> entries;
    private final UnaryOperator<Object> value;

    private OpenedJdk() throws ReflectiveOperationException {
        Class<?> buffer = Class.forName("sun.nio.ch.DirectBuffer");
        attachment =
                function(JdkLookup.in(buffer).findVirtual(buffer, "attachment", MethodType.methodType(Object.class)));
        mapsOfThread = List.of(field(Thread.class, "threadLocals"), field(Thread.class, "inheritableThreadLocals"));
        Class<?> map = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
        entries = field(map, "table");
        value = field(Class.forName(map.getName() + "$Entry"), "value");
    }

    /**
     * Returns a reader; in a JDK with other fields it reads none.
     *
     * @throws dev.meshguard.weave.WeaverUnavailableException if no agent may be attached
     */
    static JdkReferences open() {
        try {
            return new OpenedJdk();
        } catch (ReflectiveOperationException unknownJdk) {
            return JdkReferences.NONE;
        }
    }

    private static UnaryOperator<Object> field(Class<?> type, String name) throws ReflectiveOperationException {
        return function(JdkLookup.in(type).unreflectGetter(type.getDeclaredField(name)));
    }

    @SuppressWarnings("unchecked") // The class has no arguments.
    private static UnaryOperator<Object> function(MethodHandle handle) {
        return MethodHandleProxies.asInterfaceInstance(UnaryOperator.class, handle);
    }

    @Override
    public Optional<Object> viewedBy(Object view) {
        return view instanceof Buffer buffer && buffer.isDirect()
                ? Optional.ofNullable(attachment.apply(view))
                : Optional.empty();
    }

    @Override
    public Map<String, List<Object>> threadLocals() {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            mapsOfThread.stream()
                    .flatMap(map -> Stream.ofNullable(map.apply(thread)))
                    .flatMap(map -> Stream.of((Object[]) entries.apply(map)))
                    .flatMap(Stream::ofNullable)
                    .flatMap(entry -> Stream.ofNullable(value.apply(entry)))
                    .forEach(one -> values.computeIfAbsent(thread.getName(), unused -> new ArrayList<>())
                            .add(one));
        }
        return values;
    }
}
