package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Which buffers the runtime reports, and under which device.
 *
 * <p>What a model reports is by design; what a runtime fails to report is a {@link RuntimeDefect}. In every model buffers without
 * content are invisible, and so is what a wipe takes back.
 *
 * <table>
 * <caption>Who is seen</caption>
 * <tr><th></th><th>COMPLETE</th><th>MAIN</th><th>TRACKING_BRANCH</th></tr>
 * <tr><td>backing buffer of a mesh buffer</td><td>no</td><td>on each device</td><td>no</td></tr>
 * <tr><td>a device's part of a mesh buffer</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>buffer of a single device</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * <tr><td>view at a given address</td><td>no</td><td>no</td><td>yes</td></tr>
 * <tr><td>circular buffers of a workload</td><td>on each device</td><td>on each device</td><td>first device</td></tr>
 * <tr><td>free after the close</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>free after the mesh object died</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>end of circular buffers after the close</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * </table>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ReportingModel {
    /**
     * Each device's buffers and circular buffers, once allocated and once freed.
     *
     * <p>What a runtime would report that hides nothing; the default for tests. No version does exactly so.
     */
    COMPLETE(false, true, false, true),
    /**
     * What the trackers of main see, as of May 2026.
     *
     * <p>Only buffers that own memory: of a mesh buffer the backing buffer, which the shared-memory statistics attribute to each
     * device of the mesh. Whatever is freed when its device is closed, or its mesh object gone, is never reported. Circular buffers
     * are reported for each physical device, and gone when their program is. Source:
     * {@code tt_metal/impl/graph/graph_tracking.cpp} and {@code tt_metal/impl/buffers/buffer.cpp}.
     */
    MAIN(true, true, false, false),
    /**
     * What the allocation-tracking branch of October 2025 reports.
     *
     * <p>Circular buffers of a mesh workload appear under the first device only, because their addresses are computed once for the
     * whole mesh ({@code allocate_circular_buffers} in {@code tt_metal/impl/program/program.cpp}). Backing buffers are skipped.
     * Views are reported like buffers, so a kernel binary appears once more for the view that loads it.
     */
    TRACKING_BRANCH(false, false, true, true);

    private final boolean backingBuffers;
    private final boolean circularBuffersOnEveryDevice;
    private final boolean views;
    private final boolean freesAfterClose;

    ReportingModel(
            boolean backingBuffers, boolean circularBuffersOnEveryDevice, boolean views, boolean freesAfterClose) {
        this.backingBuffers = backingBuffers;
        this.circularBuffersOnEveryDevice = circularBuffersOnEveryDevice;
        this.views = views;
        this.freesAfterClose = freesAfterClose;
    }

    /** Returns whether a mesh buffer is reported by its backing buffer instead of its devices' buffers. */
    public boolean reportsBackingBuffers() {
        return backingBuffers;
    }

    /** Returns whether the circular buffers of a mesh workload are reported on every device it runs on. */
    public boolean reportsCircularBuffersOnEveryDevice() {
        return circularBuffersOnEveryDevice;
    }

    /** Returns whether buffers made at an address that something else owns are reported too. */
    public boolean reportsViews() {
        return views;
    }

    /** Returns whether the free of a buffer is reported although its device is closed. */
    public boolean reportsFreesAfterClose() {
        return freesAfterClose;
    }
}
