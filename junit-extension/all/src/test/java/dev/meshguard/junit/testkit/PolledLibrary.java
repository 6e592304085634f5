package dev.meshguard.junit.testkit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A library whose handles report nothing when they are closed; each test of a fixture asks them. */
public final class PolledLibrary {

    private final List<String> calls = new ArrayList<>();
    private @Nullable Session current;
    private boolean isBroken;
    private long nextAddress;

    /** A handle of the library. */
    public static final class Handle {

        private boolean isClosed;

        public void close() {
            isClosed = true;
        }
    }

    /** Returns the settings of a source that asks the handles of this library. */
    public SourceSettings settings() {
        return SourceSettings.withoutOptions(new FixtureSource("polled"), context -> {
            context.tracker().sourceAttached("polled library");
            calls.add("begin");
            current = new Session(context);
            return current;
        });
    }

    /** Returns a new handle, which belongs to the session that runs. */
    public Handle open() {
        nextAddress += 64;
        return Objects.requireNonNull(current, "no session runs").open(nextAddress);
    }

    /** From now on, no handle can be asked. */
    public void breakDown() {
        isBroken = true;
    }

    /** Returns the calls of sessions so far. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    private final class Session implements SourceSession {

        private final SourceContext context;
        /** The open handles with their addresses, held until they are asked or released. */
        private final Map<Handle, Long> open = new HashMap<>();

        Session(SourceContext context) {
            this.context = context;
        }

        Handle open(long address) {
            Handle handle = new Handle();
            MemoryRequest request = context.tracker().request(AllocationDetails.user());
            context.tracker().allocated(request, 0, BufferType.SYSTEM_MEMORY, address, 64, Ownership.OWNING);
            context.tracker().handleReturned(request, handle);
            open.put(handle, address);
            return handle;
        }

        @Override
        public void poll() {
            calls.add("poll");
            if (isBroken) {
                throw new IllegalStateException("the library is gone");
            }
            for (Handle handle : List.copyOf(open.keySet())) {
                if (handle.isClosed) {
                    context.tracker().freed(0, BufferType.SYSTEM_MEMORY, open.remove(handle));
                }
            }
        }

        @Override
        public void release(Set<Object> survivors) {
            survivors.forEach(open::remove);
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }
}
