"use strict";

/** What became of each entry that said what may stay. */
const ExpectationsView = (() => {
    const MARKS = { matched: "expected", stale: "undecided", unmatched: "undecided", exceeded: "leaked", refused: "leaked" };

    const absent = () => Dom.make("span", { class: "absent" }, "–");

    const show = (data) => {
        const section = Dom.section("expectations");
        if (data.expectations.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No entry says that a buffer may stay."));
            return;
        }
        const table = SortableTable.create({
            id: "expectations-table",
            caption: "Expected buffers",
            rows: data.expectations,
            columns: [
                { key: "words", title: "Entry", value: (entry) => entry.words, cells: (entry) => Dom.make("code", {}, entry.words) },
                { key: "fate", title: "Fate", value: (entry) => entry.fate, cells: (entry) => Dom.make("span", { class: "fate" }, Dom.mark(MARKS[entry.fate.toLowerCase()] || (entry.matchedBuffers > 0 ? "expected" : "undecided")), entry.fate.toLowerCase().replaceAll("_", " ")) },
                { key: "matched", title: "Matched", number: true, value: (entry) => entry.matchedBuffers, cells: (entry) => `${Words.count(entry.matchedBuffers, "buffer")}${entry.matchedBuffers > 0 ? `, ${Words.shortSize(entry.matchedBytes)}` : ""}` },
                { key: "refused", title: "Refused", number: true, value: (entry) => entry.refusedBuffers, cells: (entry) => String(entry.refusedBuffers) },
                { key: "bound", title: "Bound", value: (entry) => entry.bound || "", cells: (entry) => entry.bound || absent() },
                { key: "until", title: "Until", value: (entry) => entry.until || "", cells: (entry) => entry.until || absent() },
                { key: "reason", title: "Because", value: (entry) => entry.reason || "", cells: (entry) => entry.reason || absent() },
                { key: "place", title: "Where it stands", value: (entry) => entry.place || "", cells: (entry) => (entry.place ? Dom.make("code", {}, entry.place) : absent()) },
            ],
        });
        section.append(table.element);
    };

    return { show };
})();
