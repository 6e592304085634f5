"use strict";

/** Shows the page of all runs: their findings, the outcome of each, and the used expectations. */
const SuiteView = (() => {
    const outcome = (run) => {
        const { word, mark } = Format.outcome(run.outcome);
        return Dom.make("span", { class: `run-outcome outcome-${mark}` }, Dom.mark(mark), word);
    };

    /** A folder may be called anything. */
    const address = (page) => page.split("/").map(encodeURIComponent).join("/");

    const title = (run) => (run.page ? Dom.make("a", { class: "run-title", href: address(run.page) }, Dom.breakable(run.title)) : Dom.make("span", { class: "run-title" }, Dom.breakable(run.title)));

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
                    Dom.make("span", {}, Dom.make("b", { "data-total": "leaks" }, String(leaks)), ` ${leaks === 1 ? "leak" : "leaks"}`, leaked === 0 ? null : [", ", Dom.make("span", { "data-total": "bytes" }, Format.size(leaked))]),
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
            return bytes > 0 ? Dom.make("span", { title: `The most ${type} that ${holder} held at once: ${Format.size(bytes)}` }, Format.shortSize(bytes)) : Dom.absent();
        },
    });

    /** Runs without a value do not differ from others. */
    const differ = (data, value) => new Set(data.runs.map(value).filter((one) => one !== "")).size > 1;

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
                { key: "leakedBytes", title: "Leaked", number: true, value: (run) => run.leakedBytes, cells: (run) => (run.leakedBytes === 0 ? Dom.absent() : Dom.make("span", { title: Format.size(run.leakedBytes) }, Format.shortSize(run.leakedBytes))) },
                { key: "causes", title: "Causes", value: causes, cells: (run) => (causes(run) ? Dom.breakable(causes(run)) : Dom.absent()) },
                { key: "buffers", title: "Buffers", number: true, value: (run) => run.buffers, cells: (run) => String(run.buffers) },
                peakColumn("devicePeak", "Device peak", "devicePeakByType", "one device"),
                peakColumn("meshPeak", "Mesh peak", "peakByType", "all devices together"),
                { key: "duration", title: "Run time", number: true, value: (run) => run.durationMillis, cells: (run) => Format.duration(run.durationMillis * 1000) },
                ...(differ(data, (run) => run.day || "") ? [{ key: "day", title: "Day", value: (run) => run.day || "", cells: (run) => run.day || Dom.absent() }] : []),
                ...(differ(data, where) ? [{ key: "where", title: "Ran on", value: where, cells: (run) => where(run) || Dom.absent() }] : []),
            ],
            sortBy: "leakedBytes",
            descending: true,
            limit: 50,
        });
        const apply = () => table.filter((run) => (chosen.outcome === "" || run.outcome === chosen.outcome) && `${run.title}\n${causes(run)}\n${where(run)}\n${run.headline}`.toLowerCase().includes(chosen.search));
        const outcomes = [...new Set(data.runs.map((run) => run.outcome))];
        const { element, values: chosen } = Dom.filters(apply, {
            search: (set) => Dom.search("runs-search", "Find", set),
            outcome: outcomes.length > 1 && ((set) => Dom.select("runs-outcome", "Outcome", [["", "all"], ...outcomes.map((name) => [name, name.toLowerCase().replaceAll("_", " ")])], set)),
        });
        Dom.section("runs").append(element, table.element);
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
        used(data);
        follow?.();
        document.documentElement.dataset.shown = String(Math.round(performance.now()));
    };

    start().catch((error) => {
        Dom.section("head").append(Dom.make("p", { class: "broken", role: "alert" }, `This page cannot show its figures: ${error.message}`));
        throw error;
    });
})();
