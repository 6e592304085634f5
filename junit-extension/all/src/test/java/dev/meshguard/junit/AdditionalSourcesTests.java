package dev.meshguard.junit;

import static dev.meshguard.junit.testkit.JupiterRun.run;
import static dev.meshguard.junit.testkit.RunAssert.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureChecks;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginFilter;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The annotation of an additional source takes no other source from a test. */
class AdditionalSourcesTests {
    @TestFactory
    Stream<DynamicTest> fixtures() {
        return FixtureChecks.of(
                BesideAnnotationTestCase.class,
                BesideDefaultTestCase.class,
                BesideFieldTestCase.class,
                SharedTestCase.class);
    }

    @Test
    void theNearestAnnotationCounts() {
        assertThat(run(NearestTestCase.class)).hasTest("inherits").whichFailed().withTextContaining("label \"class\"");
        assertThat(run(NearestTestCase.class))
                .hasTest("hasItsOwn")
                .whichFailed()
                .withTextContaining("label \"method\"")
                .withTextContaining("1 allocated = 0 freed + 1 leaked");
        assertThat(run(NearestTestCase.class)).hasTest("isNested").whichFailed().withTextContaining("label \"class\"");
        assertThat(run(SubclassTestCase.class)).hasSingleTest().whichFailed().withTextContaining("label \"super\"");
    }

    @Test
    void oneMethodMayHaveOne() {
        assertThat(run(OnMethodTestCase.class)).hasTest("leaks").whichFailed().withTextContaining("label \"method\"");
        assertThat(run(OnMethodTestCase.class)).hasTest("isClean").whichSucceeded();
    }

    /** Selects a source that leaks a buffer in each session. */
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(MeshGuardExtension.class)
    @interface TrackLeak {

        /** Returns the label of the buffer. */
        String value();
    }

    /** The source of {@link TrackLeak}. */
    public static final class LeakSource extends FixtureSource implements AnnotatedSource<TrackLeak> {

        public LeakSource() {
            super("leak");
        }

        @Override
        public Class<TrackLeak> annotation() {
            return TrackLeak.class;
        }

        @Override
        public boolean isAdditional() {
            return true;
        }

        @Override
        public SourceSettings settings(TrackLeak annotation, String location) {
            return new LeakSettings(annotation.value());
        }
    }

    private record LeakSettings(String label) implements SourceSettings {

        @Override
        public LeakSource source() {
            return new LeakSource();
        }

        @Override
        public boolean isShareable() {
            return true;
        }

        @Override
        public SourceSession begin(SourceContext context) {
            context.tracker().sourceAttached("leak");
            context.tracker()
                    .lease(AllocationDetails.user().labelled(label), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);
            return () -> {};
        }
    }

    @TrackLeak("class")
    @FakeMesh(rows = 1, columns = 1)
    static class BesideAnnotationTestCase {
        @Test
        @MustFail(text = {"label \"class\"", "DRAM 4 KiB on device 0", "2 allocated = 0 freed + 2 leaked"})
        void areExaminedBesideTheSourceOfAnAnnotation(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackLeak("class")
    static class BesideDefaultTestCase {
        @Test
        @MustFail(text = {"label \"class\"", "9 allocated = 0 freed + 9 leaked"})
        void areExaminedBesideTheSourcesOfTheClassPath(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackLeak("class")
    static class BesideFieldTestCase {
        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(FakeMeshSource.builder().mesh(1, 1).build())
                .build();

        @Test
        @MustFail(text = {"label \"class\"", "2 allocated = 0 freed + 2 leaked"})
        void areExaminedBesideTheSourceOfAnExtensionInAField(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackLeak("class")
    static class NearestTestCase {
        @Test
        void inherits() {}

        @Test
        @TrackLeak("method")
        void hasItsOwn() {}

        @Nested
        class Inner {
            @Test
            void isNested() {}
        }
    }

    @TrackLeak("super")
    abstract static class Base {}

    static class SubclassTestCase extends Base {
        @Test
        void leaks() {}
    }

    @TrackAllocations
    static class OnMethodTestCase {
        @Test
        @TrackLeak("method")
        void leaks() {}

        @Test
        void isClean() {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS)
    static class SharedTestCase {
        @Test
        @MustFail(
                error = ExtensionConfigurationException.class,
                message =
                        "@TrackLeak on AdditionalSourcesTests$SharedTestCase#rejectsOneOfAMethodWhoseMemoryLastsForItsClass: a source for one method of a class"
                                + " with lifetime = CLASS is rejected. Put it on the class, or let the lifetime of this"
                                + " method be TEST.")
        @TrackLeak("method")
        void rejectsOneOfAMethodWhoseMemoryLastsForItsClass() {}
    }
}
