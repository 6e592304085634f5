package dev.meshguard.mesh;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.mesh.Blocking.NON_BLOCKING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.AllocationDirection;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CircularBufferConfig;
import dev.meshguard.mesh.buffer.CoreRange;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.SubDevice;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Overwrite.Kind;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what replays of traces do to the buffers of others. */
class TraceReplayTests {

    private static final TensorShape SHAPE = TensorShape.of(64, 64);
    private static final CoreRange LEFT = new CoreRange(0, 0, 0, 0);
    private static final CoreRange RIGHT = new CoreRange(1, 0, 1, 0);

    /** How a mesh keeps traces and hands out addresses. */
    enum Setting {
        REGION(64 << 20, false),
        NO_REGION(0, false),
        STRICT(64 << 20, true);

        private final long region;
        private final boolean strict;

        Setting(long region, boolean strict) {
            this.region = region;
            this.strict = strict;
        }

        private Program program(AllocationTracker tracker) {
            return new Program(tracker, region, strict);
        }
    }

    /** A program under test: a mesh, and an operation that can be captured. */
    private static final class Program {
        private final AllocationTracker tracker;
        private final Ttnn ttnn;
        private final MeshDevice mesh;
        private final Tensor input;

        private Program(AllocationTracker tracker, long region, boolean strict) {
            this.tracker = tracker;
            Ttnn.Builder builder = Ttnn.builder(tracker);
            this.ttnn = (strict ? builder.strict() : builder).build();
            this.mesh = ttnn.openMeshDevice(MeshDeviceOptions.defaults()
                    .withMeshShape(MeshShape.of(1, 2))
                    .withNumCommandQueues(2)
                    .withTraceRegionSize(region));
            this.input = tensor();
            add(input, input).close();
        }

        private Tensor tensor() {
            return ttnn.empty(SHAPE, DataType.BFLOAT16, mesh);
        }

        private Tensor add(Tensor one, Tensor other) {
            return ttnn.add(one, other);
        }

        private Tensor launch(OperationProfile operation) {
            return ttnn.launch(operation, input.spec(), input);
        }

        private TraceId capture(Runnable work) {
            TraceId trace = mesh.beginMeshTrace(0);
            work.run();
            mesh.endMeshTrace(0, trace, 1_000);
            return trace;
        }

        /** Captures an operation whose result is freed again. */
        private TraceId captureTemporary() {
            return capture(() -> add(input, input).deallocate());
        }

        private void replay(TraceId trace) {
            ttnn.executeTrace(mesh, trace);
        }

        private LeakVerdict verdict(Expectation... entries) {
            return LeakCheck.create()
                    .expecting(new ExpectedBuffers(List.of(entries)))
                    .examine(tracker.history());
        }

        private List<Overwrite> overwrites() {
            return verdict().overwrites();
        }
    }

    private final AllocationTracker tracker = AllocationTracker.create();

    /** A trace of whose result another trace, which is captured before, overwrites the memory. */
    private final class Sampling {
        private final Program program = Setting.REGION.program(tracker);
        private final MeshWorkload own = program.ttnn
                .createMeshWorkload()
                .addProgram(program.ttnn.createProgram("own").addKernel(1));
        private final List<Tensor> sampled = new ArrayList<>();
        private final TraceId decode;
        private final TraceId sampling;

        private Sampling(boolean runsOwn) {
            runOwn(); // Loads its binary.
            decode = program.capture(() -> {
                program.add(program.input, program.input).deallocate();
                if (runsOwn) {
                    runOwn();
                }
            });
            sampling = program.capture(() -> {
                sampled.add(program.add(program.input, program.input));
                if (runsOwn) {
                    runOwn();
                }
            });
        }

        private Tensor result() {
            return sampled.get(0);
        }

        private void runOwn() {
            program.mesh.enqueueMeshWorkload(own);
        }

        private void read(MeshBuffer buffer) {
            program.mesh.commandQueue().enqueueReadShards(buffer, List.of(MeshCoordinate.of(0, 0)), Blocking.BLOCKING);
        }

        /** Overwrites the result, uses it, and writes it anew. */
        private List<Overwrite> whenUsed(Runnable use) {
            program.replay(sampling);
            program.replay(decode);
            use.run();
            program.replay(sampling);
            read(result().buffer());
            return program.overwrites();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doNotHarmAResultThatIsReadInTime(boolean runsOwn) {
        Sampling loop = new Sampling(runsOwn);
        for (int token = 0; token < 3; token++) {
            loop.program.replay(loop.sampling);
            loop.read(loop.result().buffer());
            loop.program.replay(loop.decode);
            loop.program.replay(loop.decode);
        }

        loop.program.mesh.releaseMeshTrace(loop.sampling);
        loop.result().deallocate();

        assertThat(loop.program.overwrites()).isEmpty();
    }

    @Test
    void overwriteAResultThatAProgramOfUnknownBuffersMayRead() {
        Sampling loop = new Sampling(false);

        assertThat(loop.whenUsed(loop::runOwn)).hasSize(2);
    }

    @Test
    void overwriteAResultThatATraceOfUnknownBuffersMayRead() {
        Sampling loop = new Sampling(false);
        TraceId third = loop.program.capture(loop::runOwn);

        assertThat(loop.whenUsed(() -> loop.program.replay(third))).hasSize(2);
    }

    @Test
    void overwriteAResultThatIsReadThroughAViewOfItsMiddle() {
        Sampling loop = new Sampling(false);
        MeshBuffer view = loop.program.mesh.view(
                MeshBufferConfig.replicated(BufferConfig.of(DRAM, 1_024, 1_024)),
                loop.result().address() + 1_024);

        assertThat(loop.whenUsed(() -> loop.read(view))).hasSize(2);
    }

    @Test
    void overwriteAResultThatIsMoved() {
        Sampling loop = new Sampling(false);
        loop.program.replay(loop.decode);

        loop.program.ttnn.reallocate(loop.result(), L1);

        assertThat(loop.program.overwrites()).hasSize(2);
    }

    @Test
    void overwriteAResultThatASubmeshMayRead() {
        Sampling loop = new Sampling(false);
        MeshDevice submesh = loop.program.mesh.createSubmesh(MeshShape.of(1, 1));
        MeshBuffer view = submesh.view(
                MeshBufferConfig.replicated(BufferConfig.of(DRAM, 1_024, 1_024)),
                loop.result().address());
        loop.program.replay(loop.decode);
        loop.program.mesh.quiesceDevices();

        submesh.commandQueue().enqueueReadShards(view, List.of(MeshCoordinate.of(0, 0)), Blocking.BLOCKING);

        assertThat(loop.program.overwrites()).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void overwriteABufferThatGotTheMemoryOfATemporaryOne(Setting setting) {
        Program program = setting.program(tracker);
        TraceId trace = program.captureTemporary();
        program.tensor();

        program.replay(trace);
        program.replay(trace);

        assertThat(program.overwrites())
                .hasSize(2)
                .allSatisfy(overwrite -> {
                    assertThat(overwrite.kind()).isEqualTo(Kind.BY_REPLAY);
                    assertThat(overwrite.trace()).hasToString("Optional[trace 0 of mesh 0]");
                    assertThat(overwrite.times()).isEqualTo(2);
                    assertThat(overwrite.bytes()).isEqualTo(2_048);
                })
                .extracting(overwrite -> overwrite.buffer().device())
                .containsExactly(0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void doNotHarmTheResultsOfTheirOwnTrace(Setting setting) {
        Program program = setting.program(tracker);
        TraceId trace = program.capture(() -> {
            program.add(program.input, program.input).deallocate();
            program.add(program.input, program.input);
        });

        program.replay(trace);

        assertThat(program.overwrites()).isEmpty();
    }

    @Test
    void doNotHarmABufferWhereAFailedOperationOfTheCaptureWouldHaveItsOwn() {
        Program program = Setting.REGION.program(tracker);
        OperationProfile convolution = OperationProfile.of("conv2d", 1).withProgramBuffers(2, "halo config", L1, 256);
        TraceId trace = program.capture(() -> {
            program.add(program.input, program.input);
            assertThatThrownBy(() -> program.launch(convolution))
                    .hasMessage("Writes are not supported during trace capture.");
        });
        program.launch(convolution);

        program.replay(trace);

        assertThat(program.overwrites()).isEmpty();
    }

    @Test
    void overwriteABufferThatLiesOverCircularBuffers() {
        Program program = Setting.REGION.program(tracker);
        MeshWorkload workload = workload(program, LEFT);
        program.mesh.enqueueMeshWorkload(workload);
        TraceId trace = program.capture(() -> program.mesh.enqueueMeshWorkload(workload));
        program.mesh.allocate(bottomOfL1());
        program.replay(trace);

        assertThat(program.overwrites()).isNotEmpty().allSatisfy(overwrite -> {
            assertThat(overwrite.kind()).isEqualTo(Kind.BY_REPLAY);
            assertThat(overwrite.buffer().type()).isEqualTo(L1);
        });
    }

    @Test
    void readAnInputThatWasFreed() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        program.replay(trace);
        program.input.deallocate();

        program.replay(trace);

        assertThat(program.overwrites()).hasSize(2).allSatisfy(overwrite -> {
            assertThat(overwrite.kind()).isEqualTo(Kind.FREED_BEFORE_REPLAY);
            assertThat(overwrite.times()).isEqualTo(1);
            assertThat(overwrite.buffer().address())
                    .isEqualTo(program.overwrites().get(0).buffer().address());
        });
    }

    @Test
    void readTheNextInputThatTheCaptureAllocatedInPlaceOfAFreedOne() {
        Program program = Setting.REGION.program(tracker);
        Tensor input = program.tensor();
        long address = input.address();
        List<Tensor> next = new ArrayList<>();
        TraceId trace = program.capture(() -> {
            Tensor sum = program.add(input, input);
            input.deallocate();
            next.add(program.tensor());
            sum.deallocate();
        });
        assertThat(next.get(0).address()).isEqualTo(address);

        program.replay(trace);

        assertThat(program.overwrites()).isEmpty();

        next.get(0).deallocate();
        program.replay(trace);

        assertThat(program.overwrites()).hasSize(2).allSatisfy(overwrite -> {
            assertThat(overwrite.kind()).isEqualTo(Kind.FREED_BEFORE_REPLAY);
            assertThat(overwrite.times()).isEqualTo(1);
        });
    }

    @Test
    void readAResultInPlaceOfAFreedInput() {
        Program program = Setting.REGION.program(tracker);
        Tensor input = program.tensor();
        long address = input.address();
        List<Tensor> results = new ArrayList<>();
        TraceId trace = program.capture(() -> {
            Tensor sum = program.add(input, input);
            input.deallocate();
            results.add(program.add(sum, sum));
            sum.deallocate();
        });
        assertThat(results.get(0).address()).isEqualTo(address);

        program.replay(trace);

        assertThat(program.overwrites()).extracting(Overwrite::kind).containsOnly(Kind.FREED_BEFORE_REPLAY);
        assertThat(program.overwrites()).hasSize(2);
    }

    @Test
    void readATensorThatWasMovedDuringTheCapture() {
        Program program = Setting.REGION.program(tracker);
        Tensor first = program.tensor();
        Tensor second = program.tensor();
        first.deallocate();
        TraceId trace = program.capture(() -> program.ttnn.reallocate(second));

        program.replay(trace);

        assertThat(program.overwrites()).extracting(Overwrite::kind).containsOnly(Kind.FREED_BEFORE_REPLAY);
        assertThat(program.overwrites()).hasSize(2);
    }

    @Test
    void readAnInputThroughAnAddressThatAnotherBufferOwns() {
        Program program = Setting.REGION.program(tracker);
        MeshBuffer owner = program.input.buffer();
        Tensor view = Tensor.of(
                program.mesh.view(
                        MeshBufferConfig.replicated(BufferConfig.of(DRAM, owner.size(), 2_048)), owner.address()),
                program.input.spec());
        TraceId trace = program.capture(() -> program.add(view, view).deallocate());
        program.input.deallocate();

        program.replay(trace);

        assertThat(program.overwrites()).extracting(Overwrite::kind).containsOnly(Kind.FREED_BEFORE_REPLAY);
        assertThat(program.overwrites()).hasSize(2);
    }

    @Test
    void runProgramsWhoseBinariesWereFreed() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        program.mesh.clearProgramCache();

        program.replay(trace);

        assertThat(program.overwrites()).hasSize(2).allSatisfy(overwrite -> {
            assertThat(overwrite.kind()).isEqualTo(Kind.FREED_BEFORE_REPLAY);
            assertThat(overwrite.buffer().owner()).hasToString("Optional[program 1 (add)]");
        });
    }

    @Test
    void readTheirOwnCommandsAfterTheirFree() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        program.mesh.meshTraceBuffer(trace).orElseThrow().deallocate();

        program.replay(trace);

        assertThat(program.overwrites()).hasSize(2).allSatisfy(overwrite -> {
            assertThat(overwrite.kind()).isEqualTo(Kind.FREED_BEFORE_REPLAY);
            assertThat(overwrite.buffer().type()).isEqualTo(BufferType.TRACE);
        });
    }

    @Test
    void overwriteABufferOfAMeshOverTheSameDevices() {
        Program program = Setting.REGION.program(tracker);
        MeshDevice submesh = program.mesh.createSubmesh(MeshShape.of(1, 1));
        Tensor ofSubmesh = program.ttnn.empty(SHAPE, DataType.BFLOAT16, submesh);
        program.add(ofSubmesh, ofSubmesh).close();
        TraceId trace = submesh.beginMeshTrace(0);
        Tensor temporary = program.add(ofSubmesh, ofSubmesh);
        long address = temporary.address();
        temporary.deallocate();
        submesh.endMeshTrace(0, trace, 1_000);
        List<Tensor> ofParent = List.of(program.tensor(), program.tensor(), program.tensor());
        assertThat(ofParent).extracting(Tensor::address).contains(address);

        submesh.replayMeshTrace(0, trace, NON_BLOCKING);

        assertThat(program.overwrites())
                .filteredOn(overwrite -> overwrite.kind() == Kind.BY_REPLAY)
                .extracting(
                        overwrite -> overwrite.buffer().device(),
                        overwrite -> overwrite.buffer().address())
                .containsExactly(tuple(0, address));
    }

    @Nested
    class TwoOfThem {

        private final Program program = Setting.REGION.program(tracker);
        private final MeshWorkload left = workload(program, LEFT);
        private final MeshWorkload right = workload(program, RIGHT);
        private final TraceId onLeft;
        private final TraceId onRight;

        TwoOfThem() {
            program.mesh.loadSubDeviceManager(program.mesh.createSubDeviceManager(
                    List.of(new SubDevice(CoreRangeSet.of(LEFT)), new SubDevice(CoreRangeSet.of(RIGHT))), 0));
            program.mesh.enqueueMeshWorkload(left);
            program.mesh.enqueueMeshWorkload(right);
            program.mesh.commandQueue(0).finish();
            onLeft = capture(left);
            onRight = capture(right);
        }

        private TraceId capture(MeshWorkload workload) {
            return program.capture(() -> {
                MeshBuffer temporary = program.mesh.allocate(DRAM, 4_096);
                program.mesh.enqueueMeshWorkload(workload);
                temporary.deallocate();
            });
        }

        private void replay(int queue, TraceId trace) {
            program.mesh.replayMeshTrace(queue, trace, NON_BLOCKING);
        }

        @Test
        void overwriteEachOtherIfNeitherWaits() {
            replay(0, onLeft);
            replay(1, onRight);

            assertThat(program.overwrites())
                    .hasSize(2)
                    .allSatisfy(overwrite -> assertThat(overwrite.kind()).isEqualTo(Kind.BY_REPLAY_IN_FLIGHT));
        }

        @Test
        void overwriteEachOtherOnOneQueueToo() {
            replay(0, onLeft);
            replay(0, onRight);

            assertThat(program.overwrites()).hasSize(2);
        }

        @Test
        void areSafeIfTheSecondQueueWaitsForTheFirst() {
            replay(0, onLeft);
            program.mesh
                    .commandQueue(1)
                    .enqueueWaitForEvent(program.mesh.commandQueue(0).enqueueRecordEvent());
            replay(1, onRight);

            assertThat(program.overwrites()).isEmpty();
        }

        @Test
        void areNotSafeIfTheSecondQueueWaitsForAnEarlierEvent() {
            MeshEvent before = program.mesh.commandQueue(0).enqueueRecordEvent();
            replay(0, onLeft);
            program.mesh.commandQueue(1).enqueueWaitForEvent(before);
            replay(1, onRight);

            assertThat(program.overwrites()).hasSize(2);
        }

        @Test
        void areSafeIfTheHostWaitsForTheFirst() {
            replay(0, onLeft);
            program.mesh.commandQueue(0).finish();
            replay(1, onRight);

            assertThat(program.overwrites()).isEmpty();
        }

        @Test
        void areSafeOnOneQueueWithAWriteBetween() {
            MeshBuffer written = program.mesh.allocate(L1, 2_048);
            replay(0, onLeft);
            program.mesh.commandQueue(0).enqueueWriteMeshBuffer(written, 2_048, NON_BLOCKING);
            replay(0, onRight);

            assertThat(program.overwrites()).isEmpty();
        }

        @Test
        void areNotSafeIfOnlyTheOtherSubDeviceWasWaitedFor() {
            replay(0, onLeft);
            program.mesh.commandQueue(0).finish(new SubDeviceId(1));
            replay(1, onRight);

            assertThat(program.overwrites()).hasSize(2);
        }
    }

    @Test
    void areNoLeakAndNoWrongReport() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        Tensor staging = program.tensor();
        program.replay(trace);
        staging.deallocate();
        program.input.deallocate();
        program.mesh.releaseMeshTrace(trace);
        program.mesh.disableAndClearProgramCache();
        program.mesh.close();

        LeakVerdict verdict = program.verdict();

        assertThat(verdict.outcome()).isEqualTo(Outcome.OVERWRITTEN);
        assertThat(verdict.isLeakFree()).isTrue();
        assertThat(verdict.hasBalancedReports()).isTrue();
    }

    @Test
    void mayBePermittedForABufferWhoseDataIsNotNeeded() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        program.ttnn.empty(program.input.spec().named("scratch"), program.mesh);
        program.replay(trace);

        Expectation entry = Expectation.because("written before each use")
                .label("scratch")
                .exactly(2)
                .overwritten();

        assertThat(program.verdict(entry).unexpectedOverwrites()).isEmpty();
        assertThat(program.verdict(entry).overwrites())
                .hasSize(2)
                .allMatch(overwrite -> overwrite.expectation().equals(Optional.of(entry)));
        assertThat(program.verdict(entry.exactly(3)).staleExpectations()).hasSize(1);
        assertThat(program.verdict(entry.atMost(1)).unexpectedOverwrites()).hasSize(1);
        assertThat(program.verdict(entry.label("weights").atMost(8)).unexpectedOverwrites())
                .hasSize(2);
    }

    @Test
    void areNotPermittedByAnEntryForSurvivors() {
        Program program = Setting.REGION.program(tracker);
        TraceId trace = program.captureTemporary();
        program.tensor();
        program.replay(trace);

        assertThat(program.verdict(Expectation.because("all may stay")).unexpectedOverwrites())
                .hasSize(2);
    }

    @Test
    void doNotPermitThatABufferStays() {
        Program program = Setting.REGION.program(tracker);
        program.mesh.close();

        LeakVerdict verdict =
                program.verdict(Expectation.because("only its data may go").overwritten());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAKED);
    }

    private static MeshWorkload workload(Program program, CoreRange cores) {
        return program.ttnn
                .createMeshWorkload()
                .addProgram(program.ttnn
                        .createProgram("scale")
                        .addKernel(1, cores)
                        .addCircularBuffer(CircularBufferConfig.of(4_096))
                        .setTraceSize(500));
    }

    /** A buffer at the bottom of L1, where circular buffers lie. */
    private static MeshBufferConfig bottomOfL1() {
        return MeshBufferConfig.replicated(
                BufferConfig.of(L1, 2_048, 2_048).inDirection(AllocationDirection.BOTTOM_UP));
    }
}
