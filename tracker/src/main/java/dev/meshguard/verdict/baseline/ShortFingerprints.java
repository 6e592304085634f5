package dev.meshguard.verdict.baseline;

import java.util.Arrays;
import java.util.Collection;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Formats the fingerprints of one report with six digits, or with as many more as distinguish them.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class ShortFingerprints {

    static final int MIN_DIGITS = 6;

    private final int digits;

    private ShortFingerprints(int digits) {
        this.digits = digits;
    }

    /** Returns the format for the fingerprints of one report. */
    public static ShortFingerprints of(Collection<Fingerprint> all) {
        TreeSet<String> sorted = new TreeSet<>();
        all.forEach(fingerprint -> sorted.add(fingerprint.digest()));
        int digits = MIN_DIGITS;
        String before = "";
        for (String digest : sorted) {
            digits = Math.max(digits, Arrays.mismatch(before.toCharArray(), digest.toCharArray()) + 1);
            before = digest;
        }
        return new ShortFingerprints(digits);
    }

    /** Returns a fingerprint in its printed form. */
    public String of(Fingerprint fingerprint) {
        return fingerprint.abbreviated(digits);
    }
}
