package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;

/** The tracker and the runtime of a session; each is created when it is first requested. */
public interface SourceRuntime {

    /** Returns the tracker of all meshes of the test. */
    AllocationTracker tracker();

    /** Returns the runtime that is injected into the test. */
    Ttnn ttnn();

    /** Returns the pages of the run. */
    RunPages pages();

    /** Returns the subject of a page about this runtime. */
    PageSubject subject();
}
