package dev.meshguard.mesh;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.BufferType.TRACE;
import static dev.meshguard.mesh.Blocking.BLOCKING;
import static dev.meshguard.mesh.Blocking.NON_BLOCKING;
import static dev.meshguard.verdict.Overwrite.Kind.BY_REPLAY;
import static dev.meshguard.verdict.Overwrite.Kind.BY_REPLAY_IN_FLIGHT;
import static dev.meshguard.verdict.Overwrite.Kind.FREED_BEFORE_REPLAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what replays of traces do to the buffers of others.
 *
 * <p>{@link RandomTraceReplaysTests} finds what operations, frees, reads and a cleared cache lead to on one mesh with one queue.
 */
class TraceReplayTests {

    private static final TensorShape SHAPE = TensorShape.of(64, 64);

    private final AllocationTracker tracker = AllocationTracker.create();
    private final Ttnn ttnn = Ttnn.create(tracker);
    private final MeshDevice mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
            .withMeshShape(MeshShape.of(1, 2))
            .withNumCommandQueues(2)
            .withTraceRegionSize(64 << 20));
    private final Tensor input = tensor();
    private final MeshWorkload own =
            ttnn.createMeshWorkload().addProgram(ttnn.createProgram("own").addKernel(1));

    TraceReplayTests() {
        ttnn.add(input, input).close(); // Keeps its program in the cache: a capture may run it.
    }

    @Test
    void overwriteABufferThatGotTheMemoryOfATemporaryOne() {
        TraceId trace = captureTemporary();
        tensor();

        replay(trace);
        replay(trace);

        assertThat(overwrites())
                .extracting(
                        overwrite -> overwrite.buffer().device(), Overwrite::kind, Overwrite::times, Overwrite::bytes)
                .containsExactly(tuple(0, BY_REPLAY, 2L, 2_048L), tuple(1, BY_REPLAY, 2L, 2_048L));
        assertThat(overwrites().get(1).trace()).hasToString("Optional[trace 0 of mesh 0]");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doNotHarmAResultThatIsReadInTime(boolean alsoRunsOwn) {
        Runnable also = alsoRunsOwn ? this::runOwn : () -> {};
        runOwn(); // Loads its binary.
        List<Tensor> results = new ArrayList<>();
        TraceId decode = capture(() -> {
            ttnn.add(input, input).deallocate();
            also.run();
        });
        TraceId sampling = capture(() -> {
            results.add(ttnn.add(input, input));
            also.run();
        });
        for (int token = 0; token < 3; token++) {
            replay(sampling);
            read(results.get(0));
            replay(decode);
            replay(decode);
        }

        mesh.releaseMeshTrace(sampling);
        results.get(0).deallocate();

        assertThat(overwrites()).isEmpty();
    }

    @Test
    void overwriteAResultThatAProgramOfUnknownBuffersMayRead() {
        runOwn();
        TraceId decode = captureTemporary();
        captureResult();
        replay(decode);

        runOwn();

        assertThat(overwrites()).hasSize(2);
    }

    @Test
    void overwriteAResultThatATraceOfUnknownBuffersMayRead() {
        runOwn();
        TraceId decode = captureTemporary();
        captureResult();
        TraceId unknown = capture(this::runOwn);
        replay(decode);

        replay(unknown);

        assertThat(overwrites()).hasSize(2);
    }

    @Test
    void overwriteAResultThatIsMoved() {
        TraceId decode = captureTemporary();
        Tensor result = captureResult();
        replay(decode);

        ttnn.reallocate(result, L1);

        assertThat(overwrites()).hasSize(2);
    }

    @Test
    void overwriteAResultThatASubmeshMayRead() {
        TraceId decode = captureTemporary();
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        MeshBuffer view = submesh.view(pages(1_024), captureResult().address());
        replay(decode);
        mesh.quiesceDevices();

        submesh.commandQueue().enqueueReadShards(view, List.of(MeshCoordinate.of(0, 0)), BLOCKING);

        assertThat(overwrites()).isNotEmpty();
    }

    @Test
    void doNotHarmABufferWhereAFailedOperationOfTheCaptureWouldHaveItsOwn() {
        OperationProfile convolution = OperationProfile.of("conv2d", 1).withProgramBuffers(2, "halo config", L1, 256);
        TraceId trace = capture(() -> {
            ttnn.add(input, input);
            assertThatThrownBy(() -> ttnn.launch(convolution, input.spec(), input))
                    .hasMessage("Writes are not supported during trace capture.");
        });
        ttnn.launch(convolution, input.spec(), input);

        replay(trace);

        assertThat(overwrites()).isEmpty();
    }

    @Test
    void readAnInputThatWasFreed() {
        TraceId trace = captureTemporary();
        replay(trace);
        input.deallocate();

        replay(trace);

        assertThat(overwrites())
                .extracting(Overwrite::kind, Overwrite::times)
                .containsExactly(tuple(FREED_BEFORE_REPLAY, 1L), tuple(FREED_BEFORE_REPLAY, 1L));
    }

    @Test
    void readATensorThatWasMovedDuringTheCapture() {
        Tensor first = tensor();
        Tensor second = tensor();
        first.deallocate();

        replay(capture(() -> ttnn.reallocate(second)));

        assertThat(overwrites()).extracting(Overwrite::kind).containsExactly(FREED_BEFORE_REPLAY, FREED_BEFORE_REPLAY);
    }

    @Test
    void readAnInputThroughAnAddressThatAnotherBufferOwns() {
        MeshBuffer owner = input.buffer();
        Tensor view = Tensor.of(mesh.view(pages(owner.size()), owner.address()), input.spec());
        TraceId trace = capture(() -> ttnn.add(view, view).deallocate());
        input.deallocate();

        replay(trace);

        assertThat(overwrites()).extracting(Overwrite::kind).containsExactly(FREED_BEFORE_REPLAY, FREED_BEFORE_REPLAY);
    }

    @Test
    void readTheirOwnCommandsAfterTheirFree() {
        TraceId trace = captureTemporary();
        mesh.meshTraceBuffer(trace).orElseThrow().deallocate();

        replay(trace);

        assertThat(overwrites())
                .extracting(Overwrite::kind, overwrite -> overwrite.buffer().type())
                .containsExactly(tuple(FREED_BEFORE_REPLAY, TRACE), tuple(FREED_BEFORE_REPLAY, TRACE));
    }

    @Test
    void overwriteABufferOfAMeshOverTheSameDevices() {
        MeshDevice submesh = mesh.createSubmesh(MeshShape.of(1, 1));
        Tensor ofSubmesh = ttnn.empty(SHAPE, DataType.BFLOAT16, submesh);
        ttnn.add(ofSubmesh, ofSubmesh).close();
        TraceId trace = submesh.beginMeshTrace(0);
        Tensor temporary = ttnn.add(ofSubmesh, ofSubmesh);
        long address = temporary.address();
        temporary.deallocate();
        submesh.endMeshTrace(0, trace, 1_000);
        List<Tensor> ofParent = List.of(tensor(), tensor(), tensor());
        assertThat(ofParent).extracting(Tensor::address).contains(address);

        submesh.replayMeshTrace(0, trace, NON_BLOCKING);

        assertThat(overwrites())
                .filteredOn(overwrite -> overwrite.kind() == BY_REPLAY)
                .extracting(
                        overwrite -> overwrite.buffer().device(),
                        overwrite -> overwrite.buffer().address())
                .containsExactly(tuple(0, address));
    }

    private enum Between {
        NOTHING,
        WAIT_FOR_EARLIER_EVENT,
        WAIT_FOR_EVENT,
        FINISH_THE_OTHER_SUB_DEVICE,
        FINISH,
        WRITE
    }

    @Nested
    class OnTwoSubDevices {

        private final CoreRange left = new CoreRange(0, 0, 0, 0);
        private final CoreRange right = new CoreRange(1, 0, 1, 0);
        private final MeshCommandQueue first = mesh.commandQueue(0);
        private final MeshCommandQueue second = mesh.commandQueue(1);
        private final TraceId onLeft;
        private final TraceId onRight;

        OnTwoSubDevices() {
            mesh.loadSubDeviceManager(mesh.createSubDeviceManager(List.of(SubDevice.of(left), SubDevice.of(right)), 0));
            MeshWorkload scaleLeft = loaded(left);
            MeshWorkload scaleRight = loaded(right);
            first.finish();
            onLeft = capture(scaleLeft);
            onRight = capture(scaleRight);
        }

        @ParameterizedTest
        @CsvSource({"1, NOTHING", "0, NOTHING", "1, WAIT_FOR_EARLIER_EVENT", "1, FINISH_THE_OTHER_SUB_DEVICE"})
        void overwriteEachOtherUnlessTheSecondWaits(int queueOfTheSecond, Between between) {
            assertThat(whenReplayed(queueOfTheSecond, between))
                    .extracting(Overwrite::kind)
                    .containsExactly(BY_REPLAY_IN_FLIGHT, BY_REPLAY_IN_FLIGHT);
        }

        @ParameterizedTest
        @CsvSource({"1, WAIT_FOR_EVENT", "1, FINISH", "0, WRITE"})
        void areSafeIfTheSecondWaits(int queueOfTheSecond, Between between) {
            assertThat(whenReplayed(queueOfTheSecond, between)).isEmpty();
        }

        private List<Overwrite> whenReplayed(int queueOfTheSecond, Between between) {
            MeshBuffer written = mesh.allocate(L1, 2_048);
            MeshEvent earlier = first.enqueueRecordEvent();
            mesh.replayMeshTrace(0, onLeft, NON_BLOCKING);
            switch (between) {
                case NOTHING -> {}
                case WAIT_FOR_EARLIER_EVENT -> second.enqueueWaitForEvent(earlier);
                case WAIT_FOR_EVENT -> second.enqueueWaitForEvent(first.enqueueRecordEvent());
                case FINISH_THE_OTHER_SUB_DEVICE -> first.finish(new SubDeviceId(1));
                case FINISH -> first.finish();
                case WRITE -> first.enqueueWriteMeshBuffer(written, 2_048, NON_BLOCKING);
            }
            mesh.replayMeshTrace(queueOfTheSecond, onRight, NON_BLOCKING);
            return overwrites();
        }

        private TraceId capture(MeshWorkload workload) {
            return TraceReplayTests.this.capture(() -> {
                MeshBuffer temporary = mesh.allocate(DRAM, 4_096);
                mesh.enqueueMeshWorkload(workload);
                temporary.deallocate();
            });
        }

        private MeshWorkload loaded(CoreRange cores) {
            MeshWorkload workload = ttnn.createMeshWorkload()
                    .addProgram(ttnn.createProgram("scale")
                            .addKernel(1, cores)
                            .addCircularBuffer(CircularBufferConfig.of(4_096)));
            mesh.enqueueMeshWorkload(workload);
            return workload;
        }
    }

    @Test
    void areNoLeakAndNoWrongReport() {
        TraceId trace = captureTemporary();
        Tensor staging = tensor();
        replay(trace);
        staging.deallocate();
        input.deallocate();
        mesh.releaseMeshTrace(trace);
        mesh.disableAndClearProgramCache();
        mesh.close();

        LeakVerdict verdict = verdict();

        assertThat(verdict.outcome()).isEqualTo(Outcome.OVERWRITTEN);
        assertThat(verdict.isLeakFree()).isTrue();
        assertThat(verdict.hasBalancedReports()).isTrue();
    }

    @Test
    void areOfACachedTraceThoughItsNumberWasCapturedAnew() {
        TraceId trace = captureTemporary();
        mesh.releaseMeshTrace(trace);
        mesh.beginMeshTrace(0, trace);
        mesh.endMeshTrace(0, trace, 1_000);

        mesh.close();

        assertThat(verdict().survivors(survivor -> survivor.buffer().type() == TRACE))
                .extracting(Survivor::cause)
                .containsExactly(Cause.CACHED, Cause.CACHED);
    }

    @Test
    void mayBePermittedForABufferWhoseDataIsNotNeeded() {
        TraceId trace = captureTemporary();
        ttnn.empty(input.spec().named("scratch"), mesh);
        replay(trace);

        Expectation entry = Expectation.because("written before each use")
                .label("scratch")
                .exactly(2)
                .overwritten();

        assertThat(verdict(entry).unexpectedOverwrites()).isEmpty();
        assertThat(verdict(entry).overwrites())
                .hasSize(2)
                .allMatch(overwrite -> overwrite.expectation().equals(Optional.of(entry)));
        assertThat(verdict(entry.exactly(3)).staleExpectations()).hasSize(1);
        assertThat(verdict(entry.atMost(1)).unexpectedOverwrites()).hasSize(1);
        assertThat(verdict(entry.label("weights").atMost(8)).unexpectedOverwrites())
                .hasSize(2);
        assertThat(verdict(Expectation.because("all may stay")).unexpectedOverwrites())
                .hasSize(2);
    }

    @Test
    void doNotPermitThatABufferStays() {
        mesh.close();

        LeakVerdict verdict =
                verdict(Expectation.because("only its data may go").overwritten());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
    }

    private Tensor tensor() {
        return ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
    }

    private static BufferConfig pages(long size) {
        return BufferConfig.of(DRAM, size, 1_024);
    }

    private TraceId capture(Runnable work) {
        TraceId trace = mesh.beginMeshTrace(0);
        work.run();
        mesh.endMeshTrace(0, trace, 1_000);
        return trace;
    }

    /** Captures an operation whose result is freed again. */
    private TraceId captureTemporary() {
        return capture(() -> ttnn.add(input, input).deallocate());
    }

    private void runOwn() {
        mesh.enqueueMeshWorkload(own);
    }

    private void read(Tensor result) {
        mesh.commandQueue().enqueueReadShards(result.buffer(), List.of(MeshCoordinate.of(0, 0)), BLOCKING);
    }

    /** Captures an operation and returns its result. */
    private Tensor captureResult() {
        List<Tensor> results = new ArrayList<>();
        capture(() -> results.add(ttnn.add(input, input)));
        return results.get(0);
    }

    private void replay(TraceId trace) {
        ttnn.executeTrace(mesh, trace);
    }

    private List<Overwrite> overwrites() {
        return verdict().overwrites();
    }

    private LeakVerdict verdict(Expectation... entries) {
        return LeakCheck.create()
                .expecting(new ExpectedBuffers(List.of(entries)))
                .examine(tracker.history());
    }
}
