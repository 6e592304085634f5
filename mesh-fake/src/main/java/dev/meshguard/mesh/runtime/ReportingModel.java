package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Which buffers the runtime reports, and under which device.
 *
 * <p>What a model reports is by design; what a runtime fails to report is a {@link RuntimeDefect}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ReportingModel {
    /**
     * Each device's buffers and circular buffers, once allocated and once freed.
     *
     * <p>What a runtime would report that hides nothing. No version does exactly so: the runtime of May 2026 reports circular
     * buffers per device like this, but mesh buffers as the mesh's own.
     */
    COMPLETE(true, false),
    /**
     * What the allocation-tracking branch of October 2025 reports.
     *
     * <p>Circular buffers of a mesh workload appear under the first device only, because their addresses are computed once for the
     * whole mesh ({@code allocate_circular_buffers} in {@code tt_metal/impl/program/program.cpp}). Views are reported like
     * buffers, so a kernel binary appears once more for the view that loads it.
     */
    TRACKING_BRANCH(false, true);

    private final boolean circularBuffersOnEveryDevice;
    private final boolean views;

    ReportingModel(boolean circularBuffersOnEveryDevice, boolean views) {
        this.circularBuffersOnEveryDevice = circularBuffersOnEveryDevice;
        this.views = views;
    }

    /** Returns whether the circular buffers of a mesh workload are reported on every device it runs on. */
    public boolean reportsCircularBuffersOnEveryDevice() {
        return circularBuffersOnEveryDevice;
    }

    /** Returns whether buffers made at an address that something else owns are reported too. */
    public boolean reportsViews() {
        return views;
    }
}
