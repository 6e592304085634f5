package dev.meshguard.report.page.internal;

import dev.meshguard.report.page.internal.template.JterunGenerated;
import dev.meshguard.report.page.internal.template.JtesuiteGenerated;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.WriterOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.function.Consumer;

/** The templates, by name: each is a class that was made when MeshGuard was built, so nothing is looked up at run time. */
@SuppressWarnings("NullAway") // Where tags are not intercepted, a template is given no interceptor.
public final class PageTemplates {

    private PageTemplates() {}

    /** Writes the page of a run. */
    public static void run(PageContent content, Writer writer) throws IOException {
        write(writer, output -> JterunGenerated.render(output, null, content));
    }

    /** Writes the page over all runs. */
    public static void suite(PageContent content, Writer writer) throws IOException {
        write(writer, output -> JtesuiteGenerated.render(output, null, content));
    }

    /** Templates do not know checked exceptions: they wrap that of the writer. */
    private static void write(Writer writer, Consumer<OwaspHtmlTemplateOutput> template) throws IOException {
        try {
            template.accept(new OwaspHtmlTemplateOutput(new WriterOutput(writer)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
