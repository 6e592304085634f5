package dev.meshguard.page.internal.template;

import java.util.List;

/**
 * The values for the placeholders of a template.
 *
 * @param title the title of the page
 * @param text the text for browsers without scripts
 * @param data the data, as embedded in the page
 * @param isCompressed whether the data is compressed
 * @param styles the style sheets
 * @param scripts the scripts, in the order of execution
 */
public record PageContent(
        String title, String text, String data, boolean isCompressed, List<String> styles, List<String> scripts) {

    /** Creates the content with its own copies of the lists. */
    public PageContent {
        styles = List.copyOf(styles);
        scripts = List.copyOf(scripts);
    }

    /** Returns content with the data as JSON, compressed if it is long. */
    public static PageContent of(String title, String text, String json, List<String> styles, List<String> scripts) {
        boolean isLong = DataCompression.isLong(json);
        return new PageContent(title, text, isLong ? DataCompression.compressed(json) : json, isLong, styles, scripts);
    }

    /** Returns the permissions of a browser: only the content of the page may run and be shown. */
    public String policy() {
        return ContentPolicy.of(styles, scripts);
    }
}
