"use strict";

/**
 * The library of the charts. Many pages of one folder share it as a file, so each of them is small. That file holds the library in a function:
 * a page from a disk may not read files, but it can run the function and read its source, and so save itself as one file.
 */
const Library = (() => {
    const shared = globalThis.meshguardLibrary;
    const file = document.querySelector("#library");
    // The document as it was written; the scripts that follow will change it.
    const written = shared ? document.documentElement.outerHTML : "";
    const before = document.scripts.length;
    if (shared) {
        shared();
    }

    const source = () => {
        const text = shared.toString();
        return text.slice(text.indexOf("{\n") + 2, text.lastIndexOf("\n}"));
    };

    const inline = (text) => Dom.make("script", {}, text).outerHTML;

    /** Returns the HTML of this page with the library in it. */
    const page = () => {
        const following = [...document.scripts].slice(before).map((script) => inline(script.textContent));
        const [head, rest] = written.split(file.outerHTML);
        const end = rest.lastIndexOf("</body>");
        return ["<!DOCTYPE html>", head.replace("script-src 'self' ", "script-src "), inline(source()), rest.slice(0, end), ...following, rest.slice(end)].join("\n");
    };

    const save = () => {
        const url = URL.createObjectURL(new Blob([page()], { type: "text/html" }));
        const name = decodeURIComponent(location.pathname.split("/").pop());
        const link = Dom.make("a", { href: url, download: name.replace(/\.html$/, "-whole.html") });
        link.click();
        URL.revokeObjectURL(url);
    };

    const isMissing = typeof echarts === "undefined";

    /** Explains in a section why it has no chart. */
    const explain = (section) =>
        section.append(
            Dom.make("p", { class: "without-library", role: "note" }, "The chart needs the file ", Dom.make("code", {}, file.getAttribute("src").split("/").pop()), ", which is not where this page expects it. Open the page in the folder in which it was written, or save it there as one file."),
        );

    return { isMissing, isShared: shared !== undefined, page, save, explain };
})();
