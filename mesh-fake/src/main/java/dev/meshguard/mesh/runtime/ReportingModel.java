package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The buffers that the runtime reports, and the device under which it reports each.
 *
 * <p>A model describes reports by design; {@link RuntimeDefect} describes missing reports. No model reports buffers without
 * content, or what the runtime frees by clearing an allocator.
 * <table> <caption>Reported buffers and frees</caption>
 * <tr><th></th><th>COMPLETE</th><th>MAIN</th><th>TRACKING_BRANCH</th></tr>
 * <tr><td>backing buffer of a mesh buffer</td><td>no</td><td>on each device</td><td>no</td></tr>
 * <tr><td>a device's part of a mesh buffer</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>buffer of a single device</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * <tr><td>view at a given address</td><td>no</td><td>no</td><td>yes</td></tr>
 * <tr><td>circular buffers of a workload</td><td>on each device</td><td>on each device</td><td>first device</td></tr>
 * <tr><td>free after the close</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>free after the mesh object was destroyed</td><td>yes</td><td>no</td><td>yes</td></tr>
 * <tr><td>end of circular buffers after the close</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * </table>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ReportingModel {
    /**
     * Each device's buffers and circular buffers, with one allocation and one free each.
     *
     * <p>This is the model of a runtime that reports everything, and the default for tests. No real version reports exactly
     * this.
     */
    COMPLETE(false, true, false, true),
    /**
     * The reports to the trackers of main, as of May 2026.
     *
     * <p>It reports only buffers that own memory. For a mesh buffer it reports the backing buffer, which the shared-memory
     * statistics attribute to each device of the mesh. It never reports a free after the device was closed or the mesh object
     * was destroyed. It reports circular buffers for each physical device, and their end with the end of their program. Source:
     * {@code tt_metal/impl/graph/graph_tracking.cpp} and {@code tt_metal/impl/buffers/buffer.cpp}.
     */
    MAIN(true, true, false, false),
    /**
     * The reports of the allocation-tracking branch of October 2025.
     *
     * <p>It reports circular buffers of a mesh workload under the first device only, because their addresses are computed once
     * for the whole mesh ({@code allocate_circular_buffers} in {@code tt_metal/impl/program/program.cpp}). It skips backing
     * buffers. It reports views like buffers, so a kernel binary appears once more for the view that loads it.
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

    /** Returns whether views, that is, buffers at an address that another buffer owns, are reported too. */
    public boolean reportsViews() {
        return views;
    }

    /** Returns whether the free of a buffer is reported although its device is closed. */
    public boolean reportsFreesAfterClose() {
        return freesAfterClose;
    }
}
