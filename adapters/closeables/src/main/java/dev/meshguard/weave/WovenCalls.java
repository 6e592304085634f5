package dev.meshguard.weave;

import java.util.List;
import java.util.function.BiConsumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the calls of woven code.
 *
 * <p>Only its class file is used. {@link Dispatcher} defines it under another name in {@code java.lang}, because each class loader and
 * each module finds classes there. It therefore uses {@code java.base} only.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class WovenCalls {

    /** The receivers, by the index in their calls; null while no scope is open. */
    public static volatile @Nullable List<BiConsumer<Object, @Nullable Object>> receivers;

    private WovenCalls() {}

    /** Called by woven code. */
    public static void call(Object subject, @Nullable Object argument, int receiver) {
        List<BiConsumer<Object, @Nullable Object>> current = receivers;
        if (current != null && receiver < current.size()) {
            current.get(receiver).accept(subject, argument);
        }
    }
}
