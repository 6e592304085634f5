package dev.meshguard.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages are records, byte for byte. */
class RecordCodecTests {

    @Test
    void queriesOfUsageAndOfTheNumberOfDevicesAreTheseBytes() {
        assertThat(first40(Request.query(7))).isEqualTo("03000000" + "07000000" + "00".repeat(32));
        assertThat(first40(Request.deviceInfo(DeviceInfo.COUNT))).isEqualTo("06000000" + "ffffffff" + "00".repeat(32));
    }

    @ParameterizedTest
    @EnumSource
    void whatAProgramSendsIsZeroFromByteFortyOn(RecordSize size) {
        byte[] record = RecordCodec.of(size)
                .encode(new Request(MessageType.CB_ALLOC, -2, -1, 255, -1, -1, -1))
                .array();

        assertThat(record).hasSize(size.bytes());
        assertThat(HexFormat.of().formatHex(record, 40, record.length)).matches("0*");
    }

    @ParameterizedTest
    @CsvSource({
        "BYTES_72,  0400000003000000, ''",
        "BYTES_112, 0400000003000000, '0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000'",
        "BYTES_144, 0400000003000000, '0500000000000000 0600000000000000 0000000000000000 0000000000000000 0000000000000000"
                + " 0000000000000000 0000000000000000 0000000000000000 0000000000000000'"
    })
    void anAnswerIsTheseBytes(RecordSize size, String head, String tail) {
        byte[] record = RecordCodec.of(size)
                .encode(new MemoryUsage(3, 1, 2, 3, 4, 5, 6))
                .array();

        assertThat(HexFormat.of().formatHex(record))
                .isEqualTo(head + "00".repeat(32) + "0100000000000000" + "0200000000000000" + "0300000000000000"
                        + "0400000000000000" + tail.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource({"BYTES_112, 72, 0", "BYTES_144, 88, 16"})
    void whatADeviceHasIsTheseBytes(RecordSize size, int zeros, int moreZeros) {
        byte[] record = RecordCodec.of(size)
                .encode(new DeviceInfo(2, 1L << 32, 0x500, 2, 12, 0x80000000, 0x16e000, true, 8))
                .array();

        assertThat(HexFormat.of().formatHex(record))
                .isEqualTo("0700000002000000" + "00".repeat(zeros - 8) + "0000000001000000" + "0005000000000000"
                        + "02000000" + "0c000000" + "00000080" + "00e01600" + "01000000" + "08000000"
                        + "00".repeat(moreZeros));
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

    @Test
    void eachServerKnowsTheMessagesOfItsTime() {
        assertThat(known(RecordSize.BYTES_72)).containsExactly(1, 2, 3, 4, 5);
        assertThat(known(RecordSize.BYTES_112)).containsExactly(1, 2, 3, 4, 5, 6, 7);
        assertThat(known(RecordSize.BYTES_144)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    }

    private static List<Integer> known(RecordSize size) {
        return List.of(MessageType.values()).stream()
                .filter(type -> type.isKnownTo(size))
                .map(MessageType::code)
                .toList();
    }

    private static String first40(Request request) {
        byte[] record = RecordCodec.of(RecordSize.BYTES_72).encode(request).array();
        return HexFormat.of().formatHex(record, 0, 40);
    }
}
