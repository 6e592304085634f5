"use strict";

/** Compares this run with that of another page, which the reader chooses: what is new, gone, larger and smaller. Nothing leaves the browser. */
const CompareView = (() => {
    const MOST_BYTES = 64 * 1024 * 1024;
    const SHOWN = 50;

    let data;
    let result;

    /** Sites of two runs match as those of `meshguard diff` do: never by address or line number. */
    const keyOf = (site) => JSON.stringify([site.type, site.label, site.methods, site.size]);

    const NOTHING = { buffers: 0, liveBuffers: 0, liveBytes: 0, peakBytes: 0 };

    const change = (before, after) => {
        if (!before) {
            return "new";
        }
        if (!after) {
            return "gone";
        }
        const by = after.liveBytes - before.liveBytes || after.peakBytes - before.peakBytes;
        return by > 0 ? "larger" : by < 0 ? "smaller" : "alike";
    };

    const rowsOf = (earlier, later) => {
        const before = new Map(earlier.sites.map((site) => [keyOf(site), site]));
        const after = new Map(later.sites.map((site) => [keyOf(site), site]));
        return [...new Set([...after.keys(), ...before.keys()])]
            .map((key) => {
                const [was, is] = [before.get(key), after.get(key)];
                return { site: is || was, change: change(was, is), was: was || NOTHING, is: is || NOTHING };
            })
            .map((row) => ({ ...row, live: row.is.liveBytes - row.was.liveBytes, peak: row.is.peakBytes - row.was.peakBytes }))
            .sort((one, other) => other.live - one.live || other.peak - one.peak);
    };

    const pair = (was, is) => `${Format.shortSize(was)} → ${Format.shortSize(is)}`;

    const difference = (bytes) => (bytes === 0 ? "0 B" : Dom.make("span", { class: bytes > 0 ? "more" : "less" }, Format.signedSize(bytes)));

    const absent = () => Dom.make("span", { class: "absent" }, "–");

    const table = (rows) =>
        SortableTable.create({
            id: "compare-table",
            caption: "Sites of allocation that differ from the other run",
            limit: SHOWN,
            rows,
            rowProperties: (row) => ({ "data-change": row.change }),
            columns: [
                { key: "change", title: "Change", value: (row) => row.change, cells: (row) => Dom.make("b", {}, row.change) },
                { key: "live", title: "Live at the end", number: true, value: (row) => row.live, cells: (row) => [difference(row.live), Dom.make("span", { class: "of" }, pair(row.was.liveBytes, row.is.liveBytes))] },
                { key: "peak", title: "Peak", number: true, value: (row) => row.peak, cells: (row) => [difference(row.peak), Dom.make("span", { class: "of" }, pair(row.was.peakBytes, row.is.peakBytes))] },
                { key: "buffers", title: "Buffers", number: true, value: (row) => row.is.buffers - row.was.buffers, cells: (row) => `${row.was.buffers} → ${row.is.buffers}` },
                { key: "type", title: "Type", value: (row) => row.site.type, cells: (row) => row.site.type },
                { key: "label", title: "Label", value: (row) => row.site.label || "", cells: (row) => row.site.label || absent() },
                { key: "line", title: "Line", value: (row) => row.site.line || "", cells: (row) => (row.site.line ? Dom.frame(Format.shortFrame(row.site.line), row.site.line) : row.site.size === undefined ? absent() : `buffers of ${Format.shortSize(row.site.size)}`) },
            ],
        }).element;

    /** The peak of each type of both runs. */
    const peaks = (earlier, later) => {
        const of = (run) => new Map(run.series.map((series) => [series.type, series.peak.bytes]));
        const [before, after] = [of(earlier), of(later)];
        return Dom.make(
            "ul",
            { class: "steps", id: "compare-peaks", "aria-label": "Peaks of the whole mesh" },
            [...new Set([...after.keys(), ...before.keys()])].map((type) => {
                const [was, is] = [before.get(type) || 0, after.get(type) || 0];
                return Dom.make("li", {}, `${type} peak ${was === is ? `${Format.shortSize(is)} in both` : pair(was, is)}`, was === is ? null : [" (", difference(is - was), ")"]);
            }),
        );
    };

    const caveats = (other) =>
        [
            other.title === data.title ? null : `The other page is of another test: ${other.title}.`,
            other.sourcesOmitted === data.sourcesOmitted ? null : "One of the pages omits sources, so sites are matched with difficulty: most will seem new or gone.",
            [other, data].some((run) => run.aggregated.sites.shown < run.aggregated.sites.of) ? "A page has only the largest sites of its run; a small site may seem new or gone." : null,
        ].filter(Boolean);

    const compare = (other) => {
        const rows = rowsOf(other, data);
        const differ = rows.filter((row) => row.change !== "alike");
        const counts = ["new", "gone", "larger", "smaller"].map((word) => [word, differ.filter((row) => row.change === word).length]).filter(([, count]) => count > 0);
        result.replaceChildren(
            Dom.make("p", { class: "lead", id: "compare-lead" }, `Compared with ${other.title} (${Format.outcome(other.outcome).word}): ${differ.length === 0 ? "both runs used memory alike" : counts.map(([word, count]) => `${count} ${word}`).join(", ")}${rows.length > differ.length ? `; ${Format.count(rows.length - differ.length, "site")} alike` : ""}.`),
            ...caveats(other).map((text) => Dom.make("p", { class: "note" }, text)),
            peaks(other, data),
            differ.length === 0 ? "" : table(differ),
        );
    };

    /** Returns the data of a file, or throws an error that says in a sentence why there is none. */
    const read = async (file) => {
        if (file.size > MOST_BYTES) {
            throw new Error(`${file.name} has ${Format.shortSize(file.size)}, and this page reads at most ${Format.shortSize(MOST_BYTES)}. Compare the recorded histories with "meshguard diff".`);
        }
        const other = await PageData.parse(await file.text()).catch(() => undefined);
        if (!other || other.format !== data.format) {
            throw new Error(`${file.name} is no page of a MeshGuard run, and not its JSON.`);
        }
        if (other.version !== data.version || !other.sites) {
            throw new Error(`${file.name} is of version ${other.version}.${other.minor} of the page, and this page reads version ${data.version}.1 and later: write it again with the same MeshGuard.`);
        }
        return other;
    };

    const show = (newData) => {
        data = newData;
        const chooser = Dom.make("input", { type: "file", id: "compare-file", accept: ".html,.json" });
        result = Dom.make("div", { id: "compare-result" });
        chooser.addEventListener("change", async () => {
            const [file] = chooser.files;
            if (!file) {
                return;
            }
            try {
                compare(await read(file));
            } catch (error) {
                result.replaceChildren(Dom.make("p", { class: "broken", role: "alert" }, error.message));
            }
            result.dataset.file = file.name;
        });
        Dom.section("compare").append(
            Dom.make("p", { class: "lead" }, "Choose the page of an earlier run of this test, for example the last green one. The browser reads it here; it is sent nowhere."),
            Dom.make("div", { class: "controls" }, Dom.make("label", { class: "field" }, Dom.make("span", {}, "Earlier run"), chooser)),
            result,
        );
    };

    return { show };
})();
