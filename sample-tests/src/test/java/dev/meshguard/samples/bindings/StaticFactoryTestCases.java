package dev.meshguard.samples.bindings;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.mockito.statics.StaticFactories;
import dev.meshguard.mockito.statics.StaticFactory;
import dev.meshguard.samples.support.Fixture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of code that calls static factories itself, each with a different leak. */
final class StaticFactoryTestCases {

    private StaticFactoryTestCases() {}

    // region: model
    /** The code under test: it keeps the tensor of its last answer. */
    static class Model {

        private NativeTensor answer;

        void infer() {
            try (NativeTensor input = NativeTensor.allocate(1024)) {
                answer = NativeTensor.allocate(4 * input.bytes());
            }
        }

        void close() {
            answer.close();
        }
    }
    // end region

    @Fixture
    // region: leaking-test
    @TrackAllocations
    static class ModelTestCase {

        private final Model model = new Model();

        @BeforeEach
        void trackTensors(StaticFactories factories) {
            factories.track(StaticFactory.of(NativeTensor.class)
                    .closedWhen(NativeTensor::isClosed)
                    .size(NativeTensor::bytes));
        }

        @Test
        void infers() {
            model.infer();
        }
    }
    // end region

    @Fixture
    @TrackAllocations
    static class ClosedModelTestCase {

        private final Model model = new Model();

        @Test
        void infersAndCloses(StaticFactories factories) {
            factories.track(StaticFactory.of(NativeTensor.class).closedWhen(NativeTensor::isClosed));

            model.infer();
            model.close();
        }
    }

    // region: failed-close
    /** The code under test: it closes a session that runs, and ignores the error. */
    static class Service {

        private final NativeSession session = NativeSession.open();

        void start() {
            session.run();
        }

        void stop() {
            try {
                session.close();
            } catch (IllegalStateException ignored) {
                // Nothing can be done about it.
            }
        }
    }

    @Fixture
    @TrackAllocations
    static class ServiceTestCase {

        private Service service;

        @Test
        void stops(StaticFactories factories) {
            factories.track(StaticFactory.of(NativeSession.class).closedBy(NativeSession::close));
            service = new Service();

            service.start();
            service.stop();
        }
    }
    // end region
}
