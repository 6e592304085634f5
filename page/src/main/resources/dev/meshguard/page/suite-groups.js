"use strict";

/** Shows the findings of all runs by cause and line, with the fingerprints and tests of each, most bytes first. */
const SuiteGroups = (() => {
    const ROWS = 8;
    const TESTS = 10;
    const DIGITS = 12;
    const PATTERN = /^#group-([0-9a-f]+)(?:-([A-Z_]+))?(?:-([A-Z_]+))?$/;

    const MARKS = { LEAKED: "leaked", FREED_LATE: "late", MISREPORTED: "misreported", UNDECIDED: "undecided" };

    const sum = (list, key) => list.reduce((total, one) => total + one[key], 0);

    /** The lists of equal keys, the one with the most bytes first. */
    const gather = (list, keyOf) => [...Map.groupBy(list, keyOf).values()].sort((one, other) => sum(other, "bytes") - sum(one, "bytes"));

    /** A group has findings of one cause, status and line; those of one fingerprint are together. */
    const groups = (data) =>
        gather(
            data.runs.flatMap((run) => (run.findings || []).map((finding) => ({ ...finding, run }))),
            (finding) => JSON.stringify([finding.cause, finding.status, finding.site || finding.fingerprint]),
        ).map((findings, index) => ({
            index,
            cause: findings[0].cause,
            status: findings[0].status,
            site: findings[0].site,
            bytes: sum(findings, "bytes"),
            buffers: sum(findings, "buffers"),
            tests: new Set(findings.map((finding) => finding.run)).size,
            fingerprints: gather(findings, (finding) => finding.fingerprint),
        }));

    /** Where no size is known, as that of objects, only the number. */
    const amount = (findings) => (sum(findings, "bytes") === 0 ? "" : `${Format.size(sum(findings, "bytes"))} in `) + Format.count(sum(findings, "buffers"), "buffer");

    const short = (findings) => findings[0].fingerprint.slice(0, DIGITS);

    const tests = (findings, title) => {
        const all = gather(findings, (finding) => finding.run.page || finding.run.id);
        const line = (ofRun) => Dom.make("li", {}, title(ofRun[0].run), ` ${amount(ofRun)}`);
        const list = (some) => Dom.make("ul", { class: "group-tests" }, some.map(line));
        return [list(all.slice(0, TESTS)), all.length > TESTS && Dom.make("details", {}, Dom.make("summary", {}, `${all.length - TESTS} more`), list(all.slice(TESTS)))];
    };

    const show = (data, title) => {
        const section = Dom.section("suite-groups");
        const all = groups(data);
        if (all.length === 0) {
            section.hidden = true;
            return;
        }
        /** Two groups of different cause or status may have one fingerprint; the larger one needs neither in its address. */
        const hash = (group, findings) => `#group-${short(findings)}${all.find((one) => one.fingerprints.some((other) => short(other) === short(findings))) === group ? "" : `-${group.cause}-${group.status}`}`;
        const detail = (group) =>
            group.fingerprints.map((findings) =>
                Dom.make(
                    "div",
                    { class: "fingerprint", "data-fingerprint": short(findings) },
                    Dom.make("p", {}, Dom.make("a", { href: hash(group, findings) }, Dom.make("code", {}, short(findings))), ` ${findings[0].type}, ${amount(findings)}`),
                    tests(findings, title),
                ),
            );
        const table = SortableTable.create({
            id: "suite-groups-table",
            caption: "Findings of all runs",
            rows: all,
            limit: ROWS,
            rowProperties: (group) => ({ "data-cause": group.cause, "data-status": group.status }),
            columns: [
                { key: "cause", title: "Cause", value: (group) => group.cause, cells: (group) => Dom.make("span", { class: "run-outcome" }, Dom.mark(MARKS[group.status] || "undecided"), group.cause) },
                { key: "site", title: "Allocated in", value: (group) => group.site || "", cells: (group) => (group.site ? Dom.frame(group.site) : Dom.make("span", { class: "absent" }, "unknown line")) },
                { key: "bytes", title: "Bytes", number: true, value: (group) => group.bytes, cells: (group) => (group.bytes === 0 ? Dom.absent() : Dom.make("span", { title: Format.size(group.bytes) }, Format.shortSize(group.bytes))) },
                { key: "buffers", title: "Buffers", number: true, value: (group) => group.buffers, cells: (group) => String(group.buffers) },
                { key: "tests", title: "Tests", number: true, value: (group) => group.tests, cells: (group) => String(group.tests) },
                { key: "fingerprints", title: "Fingerprints", number: true, value: (group) => group.fingerprints.length, cells: (group) => String(group.fingerprints.length) },
            ],
            sortBy: "bytes",
            descending: true,
            detail,
            onOpen: (group) => history.replaceState(null, "", hash(group, group.fingerprints[0])),
        });
        const omitted = data.runs.reduce((total, run) => total + (run.findingsOmitted || 0), 0);
        section.append(table.element, omitted === 0 ? "" : Dom.make("p", { class: "aggregated" }, `${Format.count(omitted, "smaller finding")} of runs with more than 50 are on their own pages only.`));

        const follow = () => {
            const [, digits, cause, status] = PATTERN.exec(location.hash) || [];
            const group = digits && all.find((one) => (!cause || one.cause === cause) && (!status || one.status === status) && one.fingerprints.some((findings) => findings[0].fingerprint.startsWith(digits)));
            if (!group) {
                return;
            }
            all.forEach((one) => table.open(one.index, one === group));
            const { line } = table.entry(group.index);
            if (!line.isConnected) {
                table.unfold();
            }
            const chosen = group.fingerprints.find((findings) => findings[0].fingerprint.startsWith(digits));
            section.querySelectorAll(".fingerprint").forEach((block) => block.classList.toggle("chosen", block.dataset.fingerprint === short(chosen)));
            (group.fingerprints.length === 1 ? line : section.querySelector(".fingerprint.chosen")).scrollIntoView({ block: "center" });
        };
        addEventListener("hashchange", follow);
        return follow;
    };

    return { show };
})();
