package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.tracker.AllocationTracker;

/** What a guard hands out; either is made when it is first asked for. */
public interface SourceRuntime {

    /** Returns the tracker that hears of all meshes of the test. */
    AllocationTracker tracker();

    /** Returns the runtime that the test is given. */
    Ttnn ttnn();

    /** Returns where pages go. */
    RunPages pages();

    /** Returns whose page one on this runtime is. */
    PageSubject subject();
}
