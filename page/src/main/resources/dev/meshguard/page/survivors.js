"use strict";

/** Shows the survivors in a table, with a row for each finding. */
const SurvivorsView = (() => {
    const STATUSES = { LEAKED: "leaked", FREED_LATE: "late", MISREPORTED: "misreported", EXPECTED: "expected", UNDECIDED: "undecided" };

    const badge = (group) => {
        if (group.baseline === "new" || group.baseline === "known") {
            return Dom.make("span", { class: `badge badge-${group.baseline}` }, group.baseline);
        }
        return null;
    };

    const dots = (group, data) => {
        const held = new Set(Findings.devices(group));
        const all = data.mesh.devices.map((device) => device.id);
        if (held.size === 0) {
            return "–";
        }
        if (all.length > 16 || all.length === 0) {
            return `${Format.count(held.size, "device")}`;
        }
        const label = `devices ${[...held].join(", ")} of ${all.length}`;
        return Dom.make(
            "span",
            { class: "dots", role: "img", "aria-label": label, title: label },
            all.map((id) => Dom.mark(held.has(id) ? STATUSES[group.status] : "clean")),
        );
    };

    const facts = (list) => Dom.make("ul", { class: "facts" }, list.map((fact) => Dom.make("li", {}, Address.linked(fact.text, fact.events))));

    /** One entry for the whole finding, or one for each group if no entry admits exactly the finding. */
    const entries = (finding) => {
        const found = finding.members.length === 1 || !finding.findingEntry ? finding.members.map((group) => group.entry).filter(Boolean) : [finding.findingEntry];
        return found.length === 0
            ? null
            : Dom.make(
                  "div",
                  { class: "entry" },
                  Dom.make("h3", {}, "If it is expected"),
                  found.map((entry) =>
                      [
                          ["annotation", "Copy the annotation"],
                          ["line", "Copy the line"],
                      ]
                          .filter(([key]) => entry[key])
                          .map(([key, label]) => Dom.make("div", { class: `paste paste-${key}` }, Dom.make("code", {}, entry[key]), Dom.copyButton("Copy", entry[key], { "aria-label": label }))),
                  ),
              );
    };

    /** The buffers of a group and their size; only their number where it is unknown. */
    const size = (group) => (group.size === 0 ? Format.units(group.count, group.units) : `${group.count} x ${Format.size(group.size)}`);

    /** The sizes of a finding of several groups, each with its buffers, devices and fingerprint. */
    const sizes = (finding) =>
        finding.members.length === 1
            ? null
            : [
                  Dom.make("h3", {}, Format.count(finding.members.length, "size")),
                  Dom.make(
                      "ul",
                      { class: "sizes", tabindex: "0" },
                      finding.members.map((group) =>
                          Dom.make(
                              "li",
                              { "data-fingerprint": group.fingerprint },
                              `${size(group)}${group.devices.length === 0 ? "" : ` on ${group.devices.length === 1 ? "device" : "devices"} ${group.devices.join(", ")}`}, fingerprint ${group.fingerprint}`,
                          ),
                      ),
                  ),
              ];

    const detail = (group, data) =>
        Dom.make(
            "div",
            { class: "group-detail" },
            Dom.make(
                "div",
                {},
                Dom.make("h3", {}, group.cause ? `Why: ${group.cause}` : "Why"),
                facts(group.evidence),
                group.chain ? [Dom.make("h3", {}, "Held by"), HolderChain.draw(group.chain, group.holder)] : null,
                group.context.length > 0 ? [Dom.make("h3", {}, "Around it"), facts(group.context)] : null,
                group.consequenceOf == null ? null : Dom.make("p", { class: "consequence" }, `It goes away with ${name(data.groups[group.consequenceOf])}.`),
                group.fix ? [Dom.make("h3", {}, "What to do"), Dom.make("p", { class: "fix" }, group.fix)] : null,
                sizes(group),
                entries(group),
            ),
            Dom.make(
                "div",
                {},
                group.timeline && group.timeline.length > 0 ? [Dom.make("h3", {}, "Timeline of the first buffer"), Dom.make("ol", { class: "timeline", tabindex: "0" }, group.timeline.map((line) => Dom.make("li", {}, Address.linked(line))))] : null,
                group.frames.length > 0 ? [Dom.make("h3", {}, "Allocated by"), Dom.make("ol", { class: "frames", tabindex: "0" }, group.frames.map((frame) => Dom.make("li", { title: frame }, [...Dom.frame(frame).childNodes])))] : null,
                Dom.make("p", { class: "print-only" }, group.fingerprint ? `Fingerprint ${group.fingerprint}` : ""),
                group.buffers.length > 0
                    ? Dom.make("p", {}, Address.link("buffer", data.rectangles.from[group.buffers[0]], "Show it on the lifetime map", { class: "to-map" }))
                    : null,
            ),
        );

    const name = (group) => `${group.type} ${size(group)}`;

    const text = (finding) =>
        finding.members
            .flatMap((group) => [group.cause, group.status, group.baseline, group.type, group.label, group.phase, group.site, group.fingerprint, ...group.evidence.map((fact) => fact.text), ...group.frames])
            .join("\n")
            .toLowerCase();

    const columns = (data) => [
        {
            key: "cause",
            title: "Cause",
            value: (group) => group.cause || "",
            cells: (group) => [
                Dom.make("span", { class: `status status-${STATUSES[group.status]}`, title: group.status.toLowerCase() }, Dom.mark(STATUSES[group.status]), Dom.make("b", {}, group.cause || STATUSES[group.status])),
                Dom.make("span", { class: "badges" }, group.consequenceOf == null ? null : Dom.make("span", { class: "badge badge-with", title: "It goes away with another one" }, "with it"), badge(group), group.status === "LEAKED" ? null : Dom.make("span", { class: `badge badge-${STATUSES[group.status]}` }, STATUSES[group.status])),
            ],
        },
        { key: "bytes", title: "Bytes", number: true, value: Findings.bytes, cells: (group) => (Findings.bytes(group) === 0 ? Dom.absent() : Dom.make("span", { title: group.members.map(size).join(", ") }, Format.shortSize(Findings.bytes(group)))) },
        { key: "count", title: "Buffers", number: true, value: Findings.count, cells: (group) => String(Findings.count(group)) },
        { key: "devices", title: "Devices", value: (group) => Findings.devices(group).length, cells: (group) => dots(group, data) },
        { key: "type", title: "Type", value: (group) => group.type, cells: (group) => group.type },
        { key: "label", title: "Label", value: (group) => group.label || "", cells: (group) => (group.label ? Dom.make("span", { class: "label" }, group.label) : Dom.absent()) },
        { key: "phase", title: "Allocated in", value: (group) => group.phase, cells: (group) => group.phase },
        { key: "site", title: "Origin", value: (group) => group.site || "", cells: (group) => (group.site ? Dom.frame(group.site) : Dom.absent()) },
    ];

    /** Anomalies: a free of an address that was free, an allocation over another. A hundred of a kind are one line. */
    const anomalies = (data) => {
        const kinds = Map.groupBy(data.anomalies || [], (anomaly) => anomaly.text);
        return kinds.size === 0
            ? ""
            : Dom.make(
                  "div",
                  { class: "anomalies", id: "anomalies" },
                  Dom.make("h3", {}, "Reports that do not fit"),
                  Dom.make(
                      "ul",
                      {},
                      [...kinds].map(([label, [first, ...more]]) =>
                          Dom.make("li", { "data-count": more.length + 1 }, Dom.mark(first.unbalancesLedger ? "misreported" : "freed"), ` ${label}: ${first.type} ${Format.address(first.address)} on device ${first.device} `, Address.event(first.event), more.length === 0 ? null : ` and ${Format.count(more.length, "time")} more`),
                      ),
                  ),
              );
    };

    const show = (data) => {
        const section = Dom.section("groups");
        if (data.groups.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No survivors: every allocated buffer was freed."), anomalies(data));
            return;
        }
        const findings = Findings.all(data);
        const table = SortableTable.create({
            id: "groups-table",
            caption: "Survivors",
            columns: columns(data),
            rows: findings,
            detail: (group) => detail(group, data),
            rowProperties: (group) => ({ id: `finding-${group.number}`, class: `row-${STATUSES[group.status]}`, "data-fingerprint": group.fingerprint }),
            onOpen: (group) => Address.set("finding", group.number),
        });
        /** Whether one of its buffers was allocated in a range of events. */
        const isIn = (group, range) => range === undefined || group.members.flatMap((one) => one.buffers).some((buffer) => range[0] <= data.rectangles.from[buffer] && data.rectangles.from[buffer] <= range[1]);
        const apply = () =>
            table.filter(
                (group) =>
                    isIn(group, Cursor.range.value) &&
                    (Cursor.device.value === undefined || Findings.devices(group).includes(Cursor.device.value)) &&
                    (chosen.search === "" || text(group).includes(chosen.search)) &&
                    (chosen.status === "" || group.status === chosen.status) &&
                    (chosen.baseline === "" || group.baseline === chosen.baseline),
            );
        const statuses = [...new Set(data.groups.map((group) => group.status))];
        const knows = data.groups.some((group) => group.baseline !== "none");
        const baselines = [["", "new and known"], ["new", "new"], ["known", "known"]];
        const filters = Dom.filters(apply, {
            search: (set) => Dom.search("groups-search", "Find", set),
            status: statuses.length > 1 && ((set) => Dom.select("groups-status", "Show", [["", "all"], ...statuses.map((status) => [status, STATUSES[status]])], set)),
            baseline: knows && ((set) => Dom.select("groups-baseline", "Baseline", baselines, set)),
        });
        const chosen = filters.values;
        section.append(
            filters.element,
            table.element,
            Dom.omitted(data.aggregated.groups, "groups are in this page: the worst."),
            anomalies(data),
        );
        const largest = HeadView.largest(data);
        if (largest) {
            table.open(findings.indexOf(largest));
        }
        Cursor.device.onChange(apply);
        Cursor.range.onChange(apply);
        Address.onOpen("finding", (number) => {
            const index = findings.findIndex((finding) => finding.members.some((group) => group.number === number));
            if (index < 0) {
                return;
            }
            if (!table.entry(index).line.isConnected) {
                filters.clear();
                Cursor.device.set(undefined);
                Cursor.range.set(undefined);
            }
            table.open(index);
            table.entry(index).line.scrollIntoView();
            table.entry(index).opener.focus({ preventScroll: true });
        });
        addEventListener("beforeprint", () => findings.slice(0, 12).forEach((_, index) => table.open(index)));
    };

    return { show };
})();
