package dev.meshguard.junit.internal.template;

import dev.meshguard.junit.internal.PageSubject;
import dev.meshguard.junit.internal.run.RunPages;
import dev.meshguard.tracker.AllocationTracker;

/** The tracker and the injected objects of a session; each is created when it is first requested. */
public interface SourceRuntime {

    /** Returns the tracker of the test. */
    AllocationTracker tracker();

    /** Returns the object of a type of the source that is injected into the test. */
    <T> T resolve(Class<T> type);

    /** Lets the sources report what has happened to their handles, before a look at what is allocated. */
    void poll();

    /** Returns the pages of the run. */
    RunPages pages();

    /** Returns the subject of a page about this runtime. */
    PageSubject subject();
}
