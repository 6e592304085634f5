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

    /** The receivers, by the index in their calls. */
    public static volatile List<BiConsumer<Object, @Nullable Object>> receivers = List.of();

    private WovenCalls() {}

    /** Called by woven code. */
    public static void call(Object subject, @Nullable Object argument, int receiver) {
        receivers.get(receiver).accept(subject, argument);
    }
}
