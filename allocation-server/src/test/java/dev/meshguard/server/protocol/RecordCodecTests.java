package dev.meshguard.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
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
        MemoryUsage usage = new MemoryUsage(3, 1, 2, 3, 4, 5, 6);
        String sums = "04 (3) 03 (3) (32) 01 (7) 02 (7) 03 (7) 04";
        DeviceInfo device = new DeviceInfo(2, 1L << 32, 0x500, 2, 12, 0x80000000, 0x16e000, true, 8);
        String memory = "(4) 01 (3) 0005 (6) 02 (3) 0c (3) (3) 80 00e01600 01 (3) 08";
        Request largest = new Request(MessageType.CB_ALLOC, -2, -1, 255, -1, -1, -1);
        return Stream.of(
                arguments(RecordSize.BYTES_72, Request.query(7), "03 (3) 07"),
                arguments(
                        RecordSize.BYTES_112,
                        new Request(MessageType.DEVICE_INFO_QUERY, DeviceInfo.COUNT, 0, 0, 0, 0, 0),
                        "06 (3) ffffffff"),
                arguments(
                        RecordSize.BYTES_144,
                        largest,
                        "08 (3) feffffff ffffffffffffffff ff (3) " + "ffffffff".repeat(5)),
                arguments(RecordSize.BYTES_72, usage, sums),
                arguments(RecordSize.BYTES_112, usage, sums),
                arguments(RecordSize.BYTES_144, usage, sums + " (7) 05 (7) 06"),
                arguments(RecordSize.BYTES_112, device, "07 (3) 02 (3) (64) " + memory),
                arguments(RecordSize.BYTES_144, device, "07 (3) 02 (3) (80) " + memory));
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

    @ParameterizedTest
    @EnumSource
    void anAnswerThatIsWrittenIsRead(RecordSize size) {
        RecordCodec codec = RecordCodec.of(size);
        boolean hasMore = size.hasCircularBuffers();
        MemoryUsage usage = new MemoryUsage(1, 2, 3, 4, 5, hasMore ? 6 : 0, hasMore ? 7 : 0);

        assertThat(codec.decode(codec.encode(usage))).isEqualTo(usage);
    }

    @Test
    void anotherMessageIsNamedAndSkipped() {
        ByteBuffer records = ByteBuffer.allocate(144);
        records.put(0, (byte) 13);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordCodec.of(RecordSize.BYTES_72).decode(records))
                .withMessage("its answer is message 13 and not 4; its records may have another size than 72");
        assertThat(records.position()).isEqualTo(72);
    }

    @Test
    void halfARecordIsNeitherReadNorWritten() {
        RecordCodec codec = RecordCodec.of(RecordSize.BYTES_112);
        ByteBuffer half = ByteBuffer.allocate(111);

        assertThatThrownBy(() -> codec.decode(half)).isInstanceOf(BufferUnderflowException.class);
        assertThatThrownBy(() -> codec.encode(Request.query(0), half)).isInstanceOf(BufferOverflowException.class);
        assertThat(half.position()).isZero();
    }

    @Test
    void aProgramSendsNoAnswer() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Request.of(MessageType.RESPONSE))
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
