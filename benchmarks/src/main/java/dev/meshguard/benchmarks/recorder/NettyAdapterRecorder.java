package dev.meshguard.benchmarks.recorder;

import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.internal.thread.UnattributedReports;
import dev.meshguard.netty.NettySessionListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherFactory;

/** Netty's pooled buffers as a tracked test sees them: the threads work for one test, and its tracker receives their buffers. */
final class NettyAdapterRecorder implements Recorder {

    private final RunningTest test;
    private final Recorder buffers;

    NettyAdapterRecorder(AllocationTracker tracker) {
        try (LauncherSession ofBuildTool = LauncherFactory.openSession()) {
            new NettySessionListener().launcherSessionOpened(ofBuildTool);
        }
        new UnattributedReports().receive("netty", OriginCapture.NONE);
        test = RunningTest.test("a test", "a test");
        test.receive("netty", tracker);
        buffers = new NettyRecorder(Level.DISABLED);
    }

    @Override
    public Lane lane(int device, int count) {
        test.bind();
        return buffers.lane(device, count);
    }
}
