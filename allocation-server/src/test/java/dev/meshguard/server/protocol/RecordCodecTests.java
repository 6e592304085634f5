package dev.meshguard.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages are records, byte for byte. */
class RecordCodecTests {

    /** Messages, the bytes of their records in groups, where a number in brackets counts zeros, and the sizes of the records. */
    static Stream<Arguments> records() {
        MemoryUsage usage = new MemoryUsage(3, 1, 2, 3, 4);
        String sums = "04 (3) 03 (3) (32) 01 (7) 02 (7) 03 (7) 04";
        Request largest = new Request(MessageType.CB_ALLOC, -2, -1, 255, -1, -1, -1);
        return Stream.of(
                arguments(RecordSize.BYTES_72, Request.query(7), "03 (3) 07"),
                arguments(
                        RecordSize.BYTES_112,
                        new Request(MessageType.DEVICE_INFO_QUERY, -1, 0, 0, 0, 0, 0),
                        "06 (3) ffffffff"),
                arguments(
                        RecordSize.BYTES_144,
                        largest,
                        "08 (3) feffffff ffffffffffffffff ff (3) " + "ffffffff".repeat(5)),
                arguments(RecordSize.BYTES_72, usage, sums),
                arguments(RecordSize.BYTES_112, usage, sums),
                arguments(RecordSize.BYTES_144, usage, sums),
                arguments(RecordSize.BYTES_112, new DeviceInfo(2), "07 (3) 02"));
    }

    @ParameterizedTest
    @MethodSource("records")
    void aMessageIsTheseBytesAndThenZeros(RecordSize size, Message message, String groups) {
        StringBuilder bytes = new StringBuilder();
        for (String group : groups.split(" ", -1)) {
            bytes.append(group.startsWith("(") ? "00".repeat(Integer.parseInt(group.replaceAll("\\D", ""))) : group);
        }

        byte[] record = RecordCodec.of(size).encode(message).array();

        assertThat(record).hasSize(size.bytes());
        assertThat(HexFormat.of().formatHex(record)).matches(bytes + "(00)*");
    }

    @Test
    void halfARecordIsNotWritten() {
        ByteBuffer half = ByteBuffer.allocate(111);

        assertThatThrownBy(() -> RecordCodec.of(RecordSize.BYTES_112).encode(Request.query(0), half))
                .isInstanceOf(BufferOverflowException.class);
        assertThat(half.position()).isZero();
    }

    @Test
    void aProgramSendsNoAnswer() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Request(MessageType.RESPONSE, 0, 0, 0, 0, 0, 0))
                .withMessage("A program sends no RESPONSE: only a server does");
    }

    @ParameterizedTest
    @EnumSource
    void eachServerKnowsTheMessagesOfItsTime(RecordSize size) {
        int known = List.of(5, 7, 12).get(size.ordinal());

        assertThat(Stream.of(MessageType.values()).filter(type -> type.isKnownTo(size)))
                .containsExactly(List.of(MessageType.values()).subList(0, known).toArray(MessageType[]::new));
    }
}
