"use strict";

/** Shows the result of each expectation. */
const ExpectationsView = (() => {
    const MARKS = { MATCHED: "expected", UNMATCHED: "undecided", OVER_ITS_BOUND: "leaked", UNDER_ITS_BOUND: "undecided", EXPIRED: "leaked" };

    const show = (data) => {
        const section = Dom.section("expectations");
        if (data.expectations.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer is expected to survive."));
            return;
        }
        const table = SortableTable.create({
            id: "expectations-table",
            caption: "Expected buffers",
            rows: data.expectations,
            columns: [
                { key: "text", title: "Entry", value: (entry) => entry.text, cells: (entry) => Dom.make("code", {}, entry.text) },
                { key: "result", title: "Result", value: (entry) => entry.result, cells: (entry) => Dom.make("span", { class: "result" }, Dom.mark(MARKS[entry.result]), entry.result.toLowerCase().replaceAll("_", " ")) },
                { key: "matched", title: "Matched", number: true, value: (entry) => entry.matchedBuffers, cells: (entry) => `${Format.count(entry.matchedBuffers, "buffer")}${entry.matchedBuffers > 0 ? `, ${Format.shortSize(entry.matchedBytes)}` : ""}` },
                { key: "rejected", title: "Rejected", number: true, value: (entry) => entry.rejectedBuffers, cells: (entry) => String(entry.rejectedBuffers) },
                { key: "bound", title: "Bound", value: (entry) => entry.bound || "", cells: (entry) => entry.bound || Dom.absent() },
                { key: "until", title: "Until", value: (entry) => entry.until || "", cells: (entry) => entry.until || Dom.absent() },
                { key: "reason", title: "Because", value: (entry) => entry.reason || "", cells: (entry) => entry.reason || Dom.absent() },
                { key: "location", title: "Location", value: (entry) => entry.location || "", cells: (entry) => (entry.location ? Dom.make("code", {}, entry.location) : Dom.absent()) },
            ],
        });
        section.append(table.element);
    };

    return { show };
})();
