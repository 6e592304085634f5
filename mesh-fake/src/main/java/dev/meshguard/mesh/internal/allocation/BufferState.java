package dev.meshguard.mesh.internal.allocation;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The history of one buffer, with call sites in the code under test, in order.
 *
 * <p>Recorded in strict mode only. If the listener captured no stack, this class captures one and resolves it on first read.
 * Safe for use by several threads.
 */
public final class BufferState {

    /** A loop that frees one buffer for ever is understood after a few rounds. */
    private static final int MAX_MOMENTS = 8;

    private final List<Moment> moments = new ArrayList<>();
    private int remaining;

    synchronized void add(Moment moment) {
        if (moments.size() < MAX_MOMENTS) {
            moments.add(moment);
        } else {
            remaining++;
        }
    }

    /** Returns a numbered line for each moment, with its call site below it. */
    synchronized List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int index = 0; index < moments.size(); index++) {
            Moment moment = moments.get(index);
            lines.add((index + 1) + ". " + moment.what());
            moment.site().ifPresent(site -> lines.add("   at " + site));
        }
        if (remaining > 0) {
            lines.add("   … and " + remaining + " more");
        }
        return lines;
    }

    /** Returns the call site of the last moment, if known. */
    synchronized Optional<StackTraceElement> lastSite() {
        return moments.isEmpty()
                ? Optional.empty()
                : moments.get(moments.size() - 1).site();
    }

    /** One thing that happened. */
    static final class Moment {

        private final String what;
        private final @Nullable MemoryRequest request;
        private final @Nullable Throwable here;

        private Moment(String what, @Nullable MemoryRequest request, @Nullable Throwable here) {
            this.what = what;
            this.request = request;
            this.here = here;
        }

        /** Something that happens now. */
        static Moment now(String what) {
            return new Moment(what, null, new CallStack());
        }

        /** Creates a moment for an event that happens now and whose number comes from the listener. */
        static Moment of(String what, MemoryRequest request) {
            return request.hasOrigin() ? new Moment(what, request, null) : now(what);
        }

        String what() {
            return what;
        }

        Optional<StackTraceElement> site() {
            Optional<Origin> origin = here != null
                    ? Optional.of(Origin.of(here.getStackTrace()))
                    : Optional.ofNullable(request).flatMap(MemoryRequest::origin);
            return origin.flatMap(Origin::site);
        }
    }

    private static final class CallStack extends Throwable {
        private static final long serialVersionUID = 1;

        CallStack() {
            super(null, null, false, true);
        }
    }
}
