package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A session that receives the reports of its threads.
 *
 * <p>A library reports through one hook of the process. Of several tests that run at the same time, only the thread says
 * for which of them it works. The first of these rules that applies decides:
 *
 * <ol>
 * <li>The thread runs code of a session: that session. If the session has ended, none: a timeout gave up on the thread.
 * <li>Exactly one live session claims the thread: that session. If several do: none.
 * <li>A thread of a live session has started it: that session.
 * <li>Exactly one session is live: that session.
 * <li>None.
 * </ol>
 *
 * <p>This is the only class with state of the process and of threads. A thread that outlives its test, for example in a
 * pool, holds an object of this class without its tracker and threads.
 *
 * <p>Safe for use by several threads.
 */
public final class ThreadSession {

    private static final InheritableThreadLocal<@Nullable Binding> BINDING = new InheritableThreadLocal<>() {
        @Override
        protected @Nullable Binding childValue(@Nullable Binding ofParent) {
            Binding open = openAmong(ofParent);
            return open == null ? null : new Binding(open.session, null, true);
        }
    };

    private static final List<ThreadSession> LIVE = new CopyOnWriteArrayList<>();

    private final Set<String> sources = ConcurrentHashMap.newKeySet();
    private final Set<Thread> claimed = ConcurrentHashMap.newKeySet();
    private volatile @Nullable AllocationTracker tracker;

    /** The session for which a thread works. */
    private static final class Binding {

        private final ThreadSession session;
        private final @Nullable Binding outer;
        private final boolean isInherited;

        /** Set by the thread that closes the scope, which need not be the one that opened it. */
        private volatile boolean isClosed;

        Binding(ThreadSession session, @Nullable Binding outer, boolean isInherited) {
            this.session = session;
            this.outer = outer;
            this.isInherited = isInherited;
        }
    }

    private ThreadSession(@Nullable AllocationTracker tracker) {
        this.tracker = tracker;
    }

    /** Begins a session whose threads report to a tracker. */
    public static ThreadSession begin(AllocationTracker tracker) {
        ThreadSession session = new ThreadSession(tracker);
        LIVE.add(session);
        return session;
    }

    /** Returns the tracker for a report of a source by the calling thread, if any test or run examines the source. */
    public static Optional<AllocationTracker> trackerOf(String source) {
        Binding binding = openAmong(BINDING.get());
        AllocationTracker own = binding == null ? null : binding.session.tracker;
        if (binding != null && !binding.isInherited) {
            return own == null ? UnattributedReports.tracker(source) : binding.session.received(source, own);
        }
        List<ThreadSession> live = LIVE.stream()
                .filter(session -> session.sources.contains(source))
                .toList();
        List<ThreadSession> claiming = live.stream()
                .filter(session -> session.claimed.contains(Thread.currentThread()))
                .toList();
        if (claiming.isEmpty() && binding != null && own != null) {
            return binding.session.received(source, own);
        }
        List<ThreadSession> candidates = claiming.isEmpty() ? live : claiming;
        AllocationTracker only = candidates.size() == 1 ? candidates.get(0).tracker : null;
        return only == null ? UnattributedReports.tracker(source) : Optional.of(only);
    }

    private Optional<AllocationTracker> received(String source, AllocationTracker own) {
        return sources.contains(source) ? Optional.of(own) : Optional.empty();
    }

    /** Receives the reports of one more source. */
    public void receive(String source) {
        sources.add(source);
    }

    /** Claims a thread that is older than the session. */
    public void claim(Thread thread) {
        if (tracker != null) {
            claimed.add(thread);
        }
    }

    /** Returns an executor whose tasks run for this session. */
    public Executor around(Executor executor) {
        return task -> executor.execute(() -> {
            try (Scope bound = bind()) {
                task.run();
            }
        });
    }

    /** Lets the calling thread run code of this session until the scope is closed. */
    public Scope bind() {
        Binding binding = new Binding(this, BINDING.get(), false);
        BINDING.set(binding);
        return () -> unbind(binding);
    }

    /** Lets the calling thread work for no session until the scope is closed. */
    public static Scope bindToNone() {
        return new ThreadSession(null).bind();
    }

    private static void unbind(Binding binding) {
        binding.isClosed = true;
        Binding open = openAmong(BINDING.get());
        if (open == null) {
            BINDING.remove();
        } else {
            BINDING.set(open);
        }
    }

    /** An outer scope may be closed before an inner one, and on another thread. */
    private static @Nullable Binding openAmong(@Nullable Binding innermost) {
        Binding open = innermost;
        while (open != null && open.isClosed) {
            open = open.outer;
        }
        return open;
    }

    /** Ends the session: its threads, which may go on, no longer report to it. */
    public void end() {
        LIVE.remove(this);
        tracker = null;
        claimed.clear();
    }
}
