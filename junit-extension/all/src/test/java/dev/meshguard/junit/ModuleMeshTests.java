package dev.meshguard.junit;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.MustFail;
import dev.meshguard.junit.testkit.SteppedTimer;
import dev.meshguard.junit.testkit.WithFixtures;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.verdict.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A mesh and a tracker of the user's own outlive the classes of their tests: each test is responsible for its own survivors,
 * and the end of the run for the rest.
 */
class ModuleMeshTests implements WithFixtures {

    @ExtendWith(ModuleMesh.class)
    abstract static class OnModuleMesh {

        @RegisterExtension
        static final MeshGuardExtension guard =
                MeshGuardExtension.builder().source(ModuleMesh.settings()).build();
    }

    @MustFail(
            run = true,
            verdict = Outcome.LEAKED,
            text = {"at dev.meshguard.junit.ModuleMeshTests$RestTestCase$DecodingTestCase.load(", " + 2 leaked "})
    @TestClassOrder(ClassOrderer.OrderAnnotation.class)
    static class RestTestCase extends OnModuleMesh {

        private static MeshBuffer weights;

        @Nested
        @Order(1)
        class LoadingTestCase {

            @BeforeAll
            static void load() {
                weights = Buffers.take(ModuleMesh.mesh());
            }

            @Test
            @MustFail(
                    verdict = Outcome.LEAKED,
                    frame = "LoadingTestCase.aTestIsResponsibleForItsOwn",
                    text = "sum 2 allocated = 0 freed + 2 leaked")
            void aTestIsResponsibleForItsOwn() {
                Buffers.take(ModuleMesh.mesh());
            }
        }

        @Nested
        @Order(2)
        class DecodingTestCase {

            @BeforeAll
            static void load() {
                Buffers.take(ModuleMesh.mesh());
            }

            @Test
            void whatAnotherClassHasLoadedIsFreed() {
                weights.deallocate();
            }

            @Test
            @MustFail(
                    verdict = Outcome.LEAKED,
                    frame = "DecodingTestCase.aTestOfAnotherClassToo",
                    text = "sum 2 allocated = 0 freed + 2 leaked")
            void aTestOfAnotherClassToo() {
                Buffers.take(ModuleMesh.mesh());
            }
        }
    }

    /** The free happens while the check sleeps, which is when another thread would free. */
    @TrackAllocations(grace = "2 s")
    @ExtendWith(ModuleMesh.class)
    static class PrefetchingTestCase {

        private static final SteppedTimer timer = new SteppedTimer();

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(ModuleMesh.settings())
                .timer(timer)
                .build();

        @Test
        void aFreeByAnotherThreadWithinTheGraceIsInTime() {
            timer.at(Duration.ofMillis(60), Buffers.take(ModuleMesh.mesh())::deallocate);
        }
    }
}
