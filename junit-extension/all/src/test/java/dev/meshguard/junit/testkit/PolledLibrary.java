package dev.meshguard.junit.testkit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
            current = new Session(this, context);
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

    private static final class Entry {

        private final long address;
        private final WeakReference<Handle> weak;
        private @Nullable Handle strong;

        Entry(long address, Handle handle) {
            this.address = address;
            this.weak = new WeakReference<>(handle);
            this.strong = handle;
        }

        boolean isClosed() {
            Handle handle = strong != null ? strong : weak.get();
            return handle != null && handle.isClosed;
        }
    }

    private static final class Session implements SourceSession {

        private final PolledLibrary library;
        private final SourceContext context;
        private final List<Entry> open = new ArrayList<>();

        Session(PolledLibrary library, SourceContext context) {
            this.library = library;
            this.context = context;
        }

        Handle open(long address) {
            Handle handle = new Handle();
            MemoryRequest request = context.tracker().request(AllocationDetails.user());
            context.tracker().allocated(request, 0, BufferType.SYSTEM_MEMORY, address, 64, Ownership.OWNING);
            context.tracker().handleReturned(request, handle);
            open.add(new Entry(address, handle));
            return handle;
        }

        @Override
        public void poll() {
            library.calls.add("poll");
            if (library.isBroken) {
                throw new IllegalStateException("the library is gone");
            }
            for (Iterator<Entry> rest = open.iterator(); rest.hasNext(); ) {
                Entry entry = rest.next();
                if (entry.isClosed()) {
                    context.tracker().freed(0, BufferType.SYSTEM_MEMORY, entry.address);
                    rest.remove();
                }
            }
        }

        @Override
        public void release(Set<Object> survivors) {
            open.stream().filter(entry -> survivors.contains(entry.strong)).forEach(entry -> entry.strong = null);
        }

        @Override
        public void close() {
            library.calls.add("close");
        }
    }
}
