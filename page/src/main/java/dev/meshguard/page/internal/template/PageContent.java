package dev.meshguard.page.internal.template;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The values for the placeholders of a template.
 *
 * @param title the title of the page
 * @param text the text for browsers without scripts
 * @param data the data, as embedded in the page
 * @param isCompressed whether the data is compressed
 * @param styles the style sheets
 * @param library the library that the scripts need, if any; it is executed first
 * @param scripts the scripts, in the order of execution
 */
public record PageContent(
        String title,
        String text,
        String data,
        boolean isCompressed,
        List<String> styles,
        Optional<ScriptLibrary> library,
        List<String> scripts) {

    /** Creates the content with its own copies of the lists. */
    public PageContent {
        styles = List.copyOf(styles);
        scripts = List.copyOf(scripts);
    }

    /** Returns content with the data as JSON, compressed if it is long. */
    public static PageContent of(
            String title,
            String text,
            String json,
            List<String> styles,
            Optional<ScriptLibrary> library,
            List<String> scripts) {
        boolean isLong = DataCompression.isLong(json);
        return new PageContent(
                title, text, isLong ? DataCompression.compressed(json) : json, isLong, styles, library, scripts);
    }

    /** Returns the permissions of a browser: only the content of the page and the file of its library may run and be shown. */
    public String policy() {
        List<String> all = Stream.concat(library.map(ScriptLibrary::text).stream(), scripts.stream())
                .toList();
        return ContentPolicy.of(styles, all, libraryUrl().isPresent());
    }

    /** Returns the file of the library, if it is not inside the page. */
    public Optional<String> libraryUrl() {
        return library.flatMap(ScriptLibrary::url);
    }

    /** Returns the scripts inside the page, in the order of execution. */
    public List<String> embeddedScripts() {
        return Stream.concat(
                        library.filter(one -> one.url().isEmpty()).map(ScriptLibrary::text).stream(), scripts.stream())
                .toList();
    }
}
