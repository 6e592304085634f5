package dev.meshguard.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AllocationDetailsTests {

    @Test
    void whatIsAddedLaterKeepsTheMeshAndWhatWasAddedBefore() {
        Owner program = Owner.program("7");
        AllocationDetails details = AllocationDetails.user()
                .reportedBy(12)
                .onMesh(3)
                .withLifetime(BufferLifetime.SYSTEM)
                .ownedBy(program)
                .labelled("weights")
                .withExtent(64);

        assertThat(details.mesh()).hasValue(3);
        assertThat(details.processId()).hasValue(12);
        assertThat(details.owner()).contains(program);
        assertThat(details.onMesh(4).mesh()).hasValue(4);
        assertThat(details.reportedBy(13).mesh()).hasValue(3);
    }

    @Test
    void aCircularBufferHasNoMesh() {
        assertThat(AllocationDetails.circularBuffer(Owner.program("7"))
                        .onMesh(3)
                        .mesh())
                .isEmpty();
        assertThat(AllocationDetails.user()
                        .onMesh(3)
                        .ofKind(BufferKind.CIRCULAR_BUFFER)
                        .mesh())
                .isEmpty();
    }

    @Test
    void distinguishesARequestThatNamesAMesh() {
        assertThat(MemoryRequest.of(AllocationDetails.user()).isAnonymous()).isTrue();
        assertThat(MemoryRequest.of(AllocationDetails.user().onMesh(0)).isAnonymous())
                .isFalse();
    }
}
