package dev.meshguard.weave;

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

    /** The receivers, by the index in their calls; null where nobody listens, and if nobody listens at all. */
    public static volatile @Nullable BiConsumer<Object, @Nullable Object> @Nullable [] receivers;

    private WovenCalls() {}

    /** Called by woven code. */
    public static void call(Object subject, @Nullable Object argument, int receiver) {
        @Nullable BiConsumer<Object, @Nullable Object> @Nullable [] all = receivers;
        BiConsumer<Object, @Nullable Object> one = all == null ? null : all[receiver];
        if (one != null) {
            one.accept(subject, argument);
        }
    }
}
