package dev.meshguard.event;

import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The references to memory that is freed when the last of them is released. The allocation is the first reference.
 *
 * @param retains how many references were added
 * @param releases how many were released
 * @param retained the last retain that no release in the same method answers, if there is one
 * @param released the last other release whose line is known, if there is one
 * @param touched the last use that code recorded, if it recorded one
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record References(
        long retains, long releases, Optional<Use> retained, Optional<Use> released, Optional<Use> touched) {

    /**
     * A call of the code under test.
     *
     * @param origin the line of the call
     * @param hint what the code recorded about it, in one line
     */
    public record Use(Origin origin, Optional<String> hint) {

        /** Returns the line, with the hint. */
        @Override
        public String toString() {
            return origin + hint.map(text -> ", " + Quantities.quoted(text)).orElse("");
        }
    }

    /** Returns the numbers, for example {@code 3 references (allocation, 2 retains), 1 release}. */
    @Override
    public String toString() {
        return InvariantText.of(
                "%s (allocation, %s), %s",
                Quantities.count(retains + 1, "reference"),
                Quantities.count(retains, "retain"),
                releases == 0 ? "no release" : Quantities.count(releases, "release"));
    }
}
