package dev.meshguard.junit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.OriginFilter;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The annotation of an additional source takes no other source from a test. */
class AdditionalSourcesTests implements WithFixtures {

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
        @MustFail(text = "label \"class\"")
        void theAnnotationOfTheClassCounts() {}

        @Test
        @TrackLeak("method")
        @MustFail(text = {"label \"method\"", "1 allocated = 0 freed + 1 leaked"})
        void theNearestAnnotationCounts() {}

        @Nested
        class Inner {
            @Test
            @MustFail(text = "label \"class\"")
            void theAnnotationOfTheClassAroundCounts() {}
        }
    }

    @TrackLeak("super")
    abstract static class Base {}

    static class SubclassTestCase extends Base {
        @Test
        @MustFail(text = "label \"super\"")
        void theAnnotationOfASuperclassCounts() {}
    }

    @TrackAllocations
    static class OnMethodTestCase {
        @Test
        @TrackLeak("method")
        @MustFail(text = "label \"method\"")
        void oneMethodMayHaveOne() {}

        @Test
        void otherMethodsHaveNone() {}
    }
}
