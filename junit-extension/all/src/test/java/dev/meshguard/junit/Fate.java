package dev.meshguard.junit;

import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.mesh.MeshDevice;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Determines whether a test leaks, from its name and the seed of its run, so that the judge of the run knows it too.
 *
 * @param seed the seed of the run
 * @param name the engine's name of the test, class or factory; the label of a leaked buffer
 */
record Fate(long seed, String name) {

    /** The configuration parameter with the seed. */
    static final String SEED = "fixture.seed";

    private static final int ONE_TEST_OF = 100;
    private static final int ONE_CLASS_OF = 8;

    /** Returns the fate of a dynamic test of this factory, or of this dynamic container. */
    Fate ofChild(String kind, int number) {
        return new Fate(seed, name + "/[dynamic-" + kind + ":#" + number + "]");
    }

    boolean testLeaks() {
        return isOneOf(ONE_TEST_OF);
    }

    boolean classLeaks() {
        return isOneOf(ONE_CLASS_OF);
    }

    private boolean isOneOf(int candidates) {
        return new SplittableRandom(seed * 31 + name.hashCode()).nextInt(candidates) == 0;
    }

    /** Allocates and frees concurrently with the others; leaks if that is its fate. */
    void fulfil(MeshDevice mesh) {
        Buffers.take(mesh, name).deallocate();
        if (testLeaks()) {
            Buffers.take(mesh, name);
        }
        Buffers.take(mesh, name).deallocate();
    }

    /** Injects the fate of a test. */
    static final class Resolver implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Fate.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            long seed = context.getConfigurationParameter(SEED, Long::valueOf).orElseThrow();
            return new Fate(seed, context.getUniqueId());
        }
    }
}
