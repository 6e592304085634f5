package dev.meshguard.report.page.internal;

import dev.meshguard.report.page.internal.template.JterunGenerated;
import dev.meshguard.report.page.internal.template.JtesuiteGenerated;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.WriterOutput;
import java.io.Writer;

/** The templates, by name: each is a class that was made when MeshGuard was built, so nothing is looked up at run time. */
@SuppressWarnings("NullAway") // Where tags are not intercepted, a template is given no interceptor.
public final class PageTemplates {

    private PageTemplates() {}

    /** Writes the page of a run. */
    public static void run(PageContent content, Writer writer) {
        JterunGenerated.render(new OwaspHtmlTemplateOutput(new WriterOutput(writer)), null, content);
    }

    /** Writes the page over all runs. */
    public static void suite(PageContent content, Writer writer) {
        JtesuiteGenerated.render(new OwaspHtmlTemplateOutput(new WriterOutput(writer)), null, content);
    }
}
