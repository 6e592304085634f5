package dev.meshguard.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests are records, byte for byte. */
class RequestTests {

    /** Requests, the bytes of their records in groups, where a number in brackets counts zeros, and the sizes of the records. */
    static Stream<Arguments> records() {
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
                        "08 (3) feffffff ffffffffffffffff ff (3) " + "ffffffff".repeat(5)));
    }

    @ParameterizedTest
    @MethodSource("records")
    void aRequestIsTheseBytesAndThenZeros(RecordSize size, Request request, String groups) {
        StringBuilder bytes = new StringBuilder();
        for (String group : groups.split(" ", -1)) {
            bytes.append(group.startsWith("(") ? "00".repeat(Integer.parseInt(group.replaceAll("\\D", ""))) : group);
        }

        byte[] record = request.toRecord(size).array();

        assertThat(record).hasSize(size.bytes());
        assertThat(HexFormat.of().formatHex(record)).matches(bytes + "(00)*");
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

        assertThat(Stream.of(MessageType.values()).filter(size::knows))
                .containsExactly(List.of(MessageType.values()).subList(0, known).toArray(MessageType[]::new));
    }
}
