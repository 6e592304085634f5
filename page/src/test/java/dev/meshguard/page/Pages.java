package dev.meshguard.page;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads the content of pages. */
public final class Pages {

    private static final Pattern SCRIPT = Pattern.compile("<script( [^>]*)?>(.*?)</script>", Pattern.DOTALL);

    /** A script of a page. */
    public record Script(String attributes, String text) {}

    private Pages() {}

    /** Returns the HTML. */
    public static String of(RunPage page) throws IOException {
        StringWriter text = new StringWriter();
        page.write(text);
        return text.toString();
    }

    /** Returns the elements that a browser treats as scripts. */
    public static List<Script> scripts(String html) {
        return SCRIPT.matcher(html)
                .results()
                .map(found -> new Script(group(found, 1), group(found, 2)))
                .toList();
    }

    private static String group(MatchResult found, int group) {
        return found.group(group) == null ? "" : found.group(group);
    }
}
