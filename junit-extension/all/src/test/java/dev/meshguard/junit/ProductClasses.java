package dev.meshguard.junit;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.closeables.NativeHandlesSource;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.processes.WatchedProcesses;
import dev.meshguard.junit.summary.SummaryListener;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mockito.MockReports;
import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.tracker.AllocationTracker;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class files of all published modules, for rules about them. */
final class ProductClasses {

    /** Adapters whose sources would track every test here, if they were on the class path. */
    private static final List<Path> OFF_CLASS_PATH =
            List.of(Path.of("../../adapters/arrow/target/classes"), Path.of("../../adapters/netty/target/classes"));

    private ProductClasses() {}

    /** Reads the class files. They take 70 MB, so a caller should not keep them for longer than its rules need. */
    static JavaClasses read() {
        Stream<Location> ofClassPath = Stream.of(
                        AllocationTracker.class,
                        Ttnn.class,
                        VerdictReport.class,
                        RunPage.class,
                        RuntimeOutput.class,
                        ParsedLog.class,
                        LeakAssertions.class,
                        MockReports.class,
                        NativeHandlesSource.class,
                        SummaryListener.class,
                        TrackAllocations.class,
                        FakeMesh.class,
                        WatchedProcesses.class)
                .map(ProductClasses::locationOf);
        return new ClassFileImporter()
                .importLocations(
                        Stream.concat(ofClassPath, OFF_CLASS_PATH.stream().map(Location::of))
                                .collect(Collectors.toSet()));
    }

    private static Location locationOf(Class<?> type) {
        return Location.of(type.getProtectionDomain().getCodeSource().getLocation());
    }
}
