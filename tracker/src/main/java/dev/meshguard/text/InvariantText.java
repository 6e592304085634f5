package dev.meshguard.text;

import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/** Formats texts with values in them, the same in every locale. */
@API(status = Status.INTERNAL, since = "0.1")
public final class InvariantText {

    private InvariantText() {}

    /**
     * Returns a text with its values.
     *
     * @param format the text, with the places of its values as in {@link String#format(Locale, String, Object...)}
     */
    public static String of(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
