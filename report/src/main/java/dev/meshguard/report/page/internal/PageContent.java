package dev.meshguard.report.page.internal;

import java.util.List;

/**
 * What a template puts into its places.
 *
 * @param title the title of the page
 * @param text what is read where nothing is run
 * @param data the figures, as they stand in the page
 * @param isCompressed whether the figures are compressed
 * @param styles the style sheets
 * @param scripts the programs, in the order in which they run
 */
public record PageContent(
        String title, String text, String data, boolean isCompressed, List<String> styles, List<String> scripts) {

    /** Creates the content with its own copies of the lists. */
    public PageContent {
        styles = List.copyOf(styles);
        scripts = List.copyOf(scripts);
    }

    /** Returns content with the figures as JSON, compressed where they are long. */
    public static PageContent of(String title, String text, String json, List<String> styles, List<String> scripts) {
        boolean isLong = InlineData.isLong(json);
        return new PageContent(title, text, isLong ? InlineData.compressed(json) : json, isLong, styles, scripts);
    }

    /** Returns what a browser may do: run and show what is in the page, and nothing else. */
    public String policy() {
        return ContentPolicy.of(styles, scripts);
    }
}
