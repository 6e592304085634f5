package dev.meshguard.closeables.weave;

import dev.meshguard.weave.Weaver;
import dev.meshguard.weave.WeaverUnavailableException;
import java.util.List;
import java.util.Set;
import java.util.zip.Deflater;
import org.mockito.Mockito;

/** A program that watches objects in a JVM of its own, and prints the reports. */
final class WeavingProgram {

    private WeavingProgram() {}

    static class Handle implements AutoCloseable {

        @Override
        public void close() {}
    }

    static class Part extends Handle {

        Part() {
            this(0);
        }

        Part(int size) {}
    }

    /** Mocks before and after weaving, if that is asked for. */
    @SuppressWarnings("MockNotUsedInProduction") // Whether mocks are objects is the question.
    public static void main(String... args) {
        boolean mocks = List.of(args).contains("mocks");
        if (mocks) {
            Part unused = Mockito.mock(Part.class);
        }
        try {
            System.out.println("agent: " + Weaver.hasAgent());
            RecordingWatcher watcher =
                    RecordingWatcher.watching(Set.of("end", "close"), Handle.class.getName(), Deflater.class.getName());
            System.out.println(watcher.reportsOf(() -> {
                new Handle().close();
                new Deflater().end();
                if (mocks) {
                    Handle unusedHandle = Mockito.mock(Handle.class);
                    Part unusedPart = Mockito.mock(Part.class);
                    Part unusedSpy = Mockito.spy(new Part());
                }
            }));
        } catch (WeaverUnavailableException unavailable) {
            System.out.println(unavailable.getMessage());
            System.out.println("calls: " + Weaver.watchCalls(List.of(), (receiver, method, argument) -> {}));
            try {
                RecordingWatcher.watching(Handle.class);
            } catch (WeaverUnavailableException again) {
                System.out.println("same cause: " + (again.getCause() == unavailable.getCause()));
            }
        }
    }
}
