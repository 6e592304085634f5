package dev.meshguard.server.log.internal;

import java.io.IOException;

/** Thrown when a log is written in UTF-16, in which no line would be recognized. */
public final class UnreadableEncodingException extends IOException {

    private static final long serialVersionUID = 1;
    private static final int TWO_CHARACTERS = 4;
    private static final int FIRST_OF_MARK = 0xfe;
    private static final int SECOND_OF_MARK = 0xff;

    UnreadableEncodingException() {
        super(
                "It is UTF-16, as PowerShell's > writes it, and logs are UTF-8. Convert it first: iconv -f UTF-16 -t UTF-8"
                        + " LOG | meshguard analyze -");
    }

    /** Returns whether a file begins like UTF-16: with its mark, or with two ASCII characters. */
    static boolean isUtf16(byte[] beginning, int length) {
        if (length < TWO_CHARACTERS) {
            return false;
        }
        int first = beginning[0] & 0xff;
        int second = beginning[1] & 0xff;
        boolean isMarked = (first == FIRST_OF_MARK && second == SECOND_OF_MARK)
                || (first == SECOND_OF_MARK && second == FIRST_OF_MARK);
        boolean isBigEndian = first == 0 && second != 0 && beginning[2] == 0 && beginning[3] != 0;
        boolean isLittleEndian = first != 0 && second == 0 && beginning[2] != 0 && beginning[3] == 0;
        return isMarked || isBigEndian || isLittleEndian;
    }
}
