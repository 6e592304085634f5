"use strict";

/** Shows the page of all runs: their findings, the outcome of each, two of them side by side, and the used expectations. */
const SuiteView = (() => {
    const outcome = (run) => {
        const { word, mark } = Format.outcome(run.outcome);
        return Dom.make("span", { class: `run-outcome outcome-${mark}` }, Dom.mark(mark), word);
    };

    /** A folder may be called anything. */
    const address = (page) => page.split("/").map(encodeURIComponent).join("/");

    const title = (run) => (run.page ? Dom.make("a", { class: "run-title", href: address(run.page) }, run.title) : Dom.make("span", { class: "run-title" }, run.title));

    const where = (run) => [run.machine, run.fork === undefined || run.fork === "" ? undefined : `JVM ${run.fork}`].filter((one) => one !== undefined && one !== "").join(" · ");

    const causes = (run) => Object.entries(run.causes || {}).map(([cause, leaks]) => `${cause} ${leaks}`).join(", ");

    const head = (data) => {
        const counts = new Map();
        data.runs.forEach((run) => {
            const { word, mark } = Format.outcome(run.outcome);
            counts.set(word, { mark, number: ((counts.get(word) || {}).number || 0) + 1 });
        });
        const order = ["Leak", "Inconclusive", "Misreported", "Stale"];
        const worst = order.find((word) => counts.has(word));
        const mark = worst ? counts.get(worst).mark : "clean";
        const leaked = data.runs.reduce((sum, run) => sum + run.leakedBytes, 0);
        const leaks = data.runs.reduce((sum, run) => sum + run.leaks, 0);
        const peaks = (key) => {
            const highest = new Map();
            data.runs.forEach((run) => Object.entries(run[key] || {}).forEach(([type, bytes]) => bytes > (highest.get(type)?.bytes ?? 0) && highest.set(type, { bytes, run })));
            const byRun = new Map();
            highest.forEach(({ bytes, run }, type) => byRun.set(run, [...(byRun.get(run) || []), `${type} ${Format.shortSize(bytes)}`]));
            return [...byRun].map(([run, amounts]) => `${amounts.join(", ")} in ${run.title}`).join("; ");
        };
        const peak = (name, key) => (peaks(key) === "" ? null : Dom.make("p", { class: "note", "data-peak": key }, `${name}: ${peaks(key)}`));
        Dom.section("head").append(
            Dom.make(
                "div",
                { class: "verdict" },
                Dom.make("p", { class: `outcome outcome-${mark}`, id: "outcome" }, Dom.mark(mark), Dom.make("span", {}, data.runs.length === 0 ? "No runs" : worst ? `${counts.get(worst).number} of ${data.runs.length} ${{ Leak: "leak", Inconclusive: "cannot be judged", Misreported: "misreport", Stale: "are stale" }[worst]}` : `All ${data.runs.length} clean`)),
                Dom.make(
                    "p",
                    { class: "totals", id: "totals" },
                    [...counts].map(([word, { mark: sign, number }]) => Dom.make("span", { class: "key", "data-outcome": word }, Dom.mark(sign), Dom.make("b", {}, String(number)), word.toLowerCase())),
                    Dom.make("span", {}, Dom.make("b", { "data-total": "leaks" }, String(leaks)), ` ${leaks === 1 ? "leak" : "leaks"}, `, Dom.make("span", { "data-total": "bytes" }, Format.size(leaked))),
                    Dom.make("span", {}, Dom.make("b", { "data-total": "buffers" }, String(data.runs.reduce((sum, run) => sum + run.buffers, 0))), " buffers tracked"),
                ),
                peak("Peak of a device", "devicePeakByType"),
                peak("Peak of a whole mesh", "peakByType"),
                (data.warnings || []).length === 0 ? null : Dom.make("ul", { class: "warnings", id: "warnings" }, data.warnings.map((warning) => Dom.make("li", {}, warning))),
            ),
        );
    };

    /** The memory of which a run held the most at once, and its bytes. */
    const highest = (run, key) => Object.entries(run[key] || {}).sort(([, one], [, other]) => other - one)[0];

    const peakColumn = (key, title, amounts, holder) => ({
        key,
        title,
        number: true,
        value: (run) => highest(run, amounts)?.[1] ?? 0,
        cells: (run) => {
            const [type, bytes] = highest(run, amounts) || [];
            return type ? Dom.make("span", { title: `The most ${type} that ${holder} held at once: ${Format.size(bytes)}` }, Format.shortSize(bytes)) : absent();
        },
    });

    /** Runs without a value do not differ from others. */
    const differ = (data, value) => new Set(data.runs.map(value).filter((one) => one !== "")).size > 1;

    const absent = () => Dom.make("span", { class: "absent" }, "–");

    const runs = (data) => {
        const table = SortableTable.create({
            id: "runs-table",
            caption: "Runs",
            rows: data.runs,
            rowProperties: (run) => ({ "data-run": run.id, "data-outcome": run.outcome }),
            columns: [
                { key: "title", title: "Test", value: (run) => run.title, cells: title },
                { key: "outcome", title: "Outcome", value: (run) => run.outcome, cells: outcome },
                { key: "leaks", title: "Leaks", number: true, value: (run) => run.leaks, cells: (run) => String(run.leaks) },
                { key: "leakedBytes", title: "Leaked", number: true, value: (run) => run.leakedBytes, cells: (run) => Dom.make("span", { title: Format.size(run.leakedBytes) }, Format.shortSize(run.leakedBytes)) },
                { key: "causes", title: "Causes", value: causes, cells: (run) => (causes(run) ? Dom.breakable(causes(run)) : absent()) },
                { key: "buffers", title: "Buffers", number: true, value: (run) => run.buffers, cells: (run) => String(run.buffers) },
                peakColumn("devicePeak", "Device peak", "devicePeakByType", "one device"),
                peakColumn("meshPeak", "Mesh peak", "peakByType", "all devices together"),
                { key: "duration", title: "Run time", number: true, value: (run) => run.durationMillis, cells: (run) => Format.duration(run.durationMillis * 1000) },
                ...(differ(data, (run) => run.day || "") ? [{ key: "day", title: "Day", value: (run) => run.day || "", cells: (run) => run.day || absent() }] : []),
                ...(differ(data, where) ? [{ key: "where", title: "Ran on", value: where, cells: (run) => where(run) || absent() }] : []),
            ],
            sortBy: "leakedBytes",
            descending: true,
            limit: 50,
        });
        const chosen = { search: "", outcome: "" };
        const apply = () => table.filter((run) => (chosen.outcome === "" || run.outcome === chosen.outcome) && `${run.title}\n${causes(run)}\n${where(run)}\n${run.headline}`.toLowerCase().includes(chosen.search));
        const outcomes = [...new Set(data.runs.map((run) => run.outcome))];
        Dom.section("runs").append(
            Dom.make(
                "div",
                { class: "controls" },
                Dom.search("runs-search", "Find", (value) => {
                    chosen.search = value;
                    apply();
                }),
                outcomes.length < 2
                    ? null
                    : Dom.select("runs-outcome", "Outcome", [["", "all"], ...outcomes.map((name) => [name, name.toLowerCase().replaceAll("_", " ")])], (value) => {
                          chosen.outcome = value;
                          apply();
                      }),
            ),
            table.element,
        );
    };

    const difference = (one, other, format) => {
        if (typeof one !== "number" || typeof other !== "number") {
            return one === other ? "same" : "differs";
        }
        if (one === other) {
            return "same";
        }
        return Dom.make("span", { class: other > one ? "more" : "less" }, `${other > one ? "▲ +" : "▼ −"}${format(Math.abs(other - one))}`);
    };

    const compared = (one, other) => {
        const types = [...new Set([...Object.keys(one.peakByType || {}), ...Object.keys(other.peakByType || {})])];
        const names = [...new Set([...Object.keys(one.causes || {}), ...Object.keys(other.causes || {})])];
        return [
            ["Outcome", (run) => run.outcome, (value) => Format.outcome(value).word],
            ["Leaks", (run) => run.leaks, String],
            ["Leaked", (run) => run.leakedBytes, Format.shortSize],
            ...names.map((name) => [name, (run) => (run.causes || {})[name] || 0, String]),
            ["Buffers", (run) => run.buffers, String],
            ["Peak of all memories", (run) => run.peakBytes, Format.shortSize],
            ...types.map((type) => [`${type} peak of the mesh`, (run) => (run.peakByType || {})[type] || 0, Format.shortSize]),
            ["Run time", (run) => run.durationMillis, (millis) => Format.duration(millis * 1000)],
        ].map(([name, value, format]) => ({ name, one: value(one), other: value(other), format }));
    };

    const differences = (data) => {
        const section = Dom.section("differences");
        if (data.runs.length < 2) {
            section.hidden = true;
            return;
        }
        // By their places: what two machines ran has one name.
        const places = data.runs.map((_, place) => place);
        const worst = places.sort((one, other) => data.runs[other].leakedBytes - data.runs[one].leakedBytes || data.runs[other].peakBytes - data.runs[one].peakBytes);
        const chosen = { one: worst[worst.length - 1], other: worst[0] };
        const result = Dom.make("div", { id: "differences-result" });
        const choose = (key, label) => {
            const list = Dom.select(`differences-${key}`, label, data.runs.map((run, place) => [place, [run.title, where(run), run.day || ""].filter((part) => part !== "").join(" · ")]), (value) => {
                chosen[key] = value;
                show();
            });
            list.querySelector("select").value = chosen[key];
            return list;
        };
        const show = () => {
            const one = data.runs[chosen.one];
            const other = data.runs[chosen.other];
            result.replaceChildren(
                Dom.make(
                    "table",
                    { id: "differences-table", class: "figures" },
                    Dom.make("caption", { class: "visually-hidden" }, "Two runs side by side"),
                    Dom.make("thead", {}, Dom.make("tr", {}, Dom.make("th", { scope: "col" }, "Figure"), Dom.make("th", { scope: "col", class: "number" }, "First"), Dom.make("th", { scope: "col", class: "number" }, "Second"), Dom.make("th", { scope: "col", class: "number" }, "Difference"))),
                    Dom.make(
                        "tbody",
                        {},
                        compared(one, other).map((row) =>
                            Dom.make(
                                "tr",
                                { "data-name": row.name },
                                Dom.make("th", { scope: "row" }, row.name),
                                Dom.make("td", { class: "number", "data-title": "First" }, row.format(row.one)),
                                Dom.make("td", { class: "number", "data-title": "Second" }, row.format(row.other)),
                                Dom.make("td", { class: "number", "data-title": "Difference" }, difference(row.one, row.other, row.format)),
                            ),
                        ),
                    ),
                ),
                Dom.make("p", { class: "note" }, "Pages: ", title(one), " and ", title(other)),
            );
        };
        section.append(Dom.make("details", { open: data.runs.length <= 10 }, Dom.make("summary", {}, "Choose two runs"), Dom.make("div", { class: "pair" }, choose("one", "First"), choose("other", "Second")), result));
        show();
    };

    const used = (data) => {
        const section = Dom.section("used");
        const entries = new Map();
        data.runs.forEach((run) => (run.expectationsUsed || []).forEach((text) => (entries.has(text) ? entries.get(text).push(run) : entries.set(text, [run]))));
        if (entries.size === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No run used an expectation."));
            return;
        }
        // Of runs without a day the last of the list.
        const last = (usedBy) => usedBy.reduce((one, other) => ((other.day || "") >= (one.day || "") ? other : one));
        section.append(
            SortableTable.create({
                id: "used-table",
                caption: "Expected buffers over the runs",
                rows: [...entries].map(([text, usedBy]) => ({ text, usedBy, last: last(usedBy) })),
                columns: [
                    { key: "text", title: "Entry", value: (entry) => entry.text, cells: (entry) => Dom.make("code", {}, entry.text) },
                    { key: "runs", title: "Used by", number: true, value: (entry) => entry.usedBy.length, cells: (entry) => `${entry.usedBy.length} of ${Format.count(data.runs.length, "run")}` },
                    { key: "last", title: "Last used", value: (entry) => entry.last.day || entry.last.title, cells: (entry) => [entry.last.day ? `${entry.last.day} by ` : "by ", title(entry.last)] },
                ],
            }).element,
        );
    };

    const start = async () => {
        const data = await PageData.read();
        head(data);
        const follow = SuiteGroups.show(data, title);
        runs(data);
        differences(data);
        used(data);
        follow?.();
        document.documentElement.dataset.shown = String(Math.round(performance.now()));
    };

    start().catch((error) => {
        Dom.section("head").append(Dom.make("p", { class: "broken", role: "alert" }, `This page cannot show its figures: ${error.message}`));
        throw error;
    });
})();
