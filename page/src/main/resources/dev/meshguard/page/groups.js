"use strict";

/** What is left, one row for what a reader would call one thing. */
const GroupsView = (() => {
    const STANDINGS = { LEAKED: "leaked", FREED_LATE: "late", MISREPORTED: "misreported", EXPECTED: "expected", UNDECIDED: "undecided" };

    const badge = (group) => {
        if (group.knowledge === "new" || group.knowledge === "known") {
            return Dom.make("span", { class: `badge badge-${group.knowledge}` }, group.knowledge);
        }
        return null;
    };

    const dots = (group, data) => {
        const held = new Set(group.devices);
        const all = data.mesh.devices.map((device) => device.id);
        if (all.length > 16 || all.length === 0) {
            return `${Words.count(held.size, "device")}`;
        }
        const words = `devices ${[...held].join(", ")} of ${all.length}`;
        return Dom.make(
            "span",
            { class: "dots", role: "img", "aria-label": words, title: words },
            all.map((id) => Dom.mark(held.has(id) ? STANDINGS[group.standing] : "clean")),
        );
    };

    const facts = (list) => Dom.make("ul", { class: "facts" }, list.map((fact) => Dom.make("li", {}, fact.words, fact.events.length === 0 ? null : [" ", fact.events.slice(0, 4).map((event) => eventLink(event))])));

    const eventLink = (event) =>
        Dom.make("button", { type: "button", class: "event-link", "data-event": event, title: `Look at event #${event} in all views`, onclick: () => Cursor.moveTo(event, "groups") }, `#${event}`);

    const entry = (group) =>
        !group.entry
            ? null
            : Dom.make(
                  "div",
                  { class: "entry" },
                  Dom.make("h4", {}, "If it may stay"),
                  [
                      ["annotation", "Copy the annotation"],
                      ["line", "Copy the line"],
                  ]
                      .filter(([key]) => group.entry[key])
                      .map(([key, words]) => Dom.make("div", { class: `paste paste-${key}` }, Dom.make("code", {}, group.entry[key]), Dom.copyButton("Copy", group.entry[key], { "aria-label": words }))),
              );

    const detail = (group, data) =>
        Dom.make(
            "div",
            { class: "group-detail" },
            Dom.make(
                "div",
                {},
                Dom.make("h4", {}, group.cause ? `Why: ${group.cause}` : "Why"),
                facts(group.evidence),
                group.context.length > 0 ? [Dom.make("h4", {}, "Around it"), facts(group.context)] : null,
                group.consequenceOf == null ? null : Dom.make("p", { class: "consequence" }, `It goes away with ${name(data.groups[group.consequenceOf])}.`),
                group.remedy ? [Dom.make("h4", {}, "What to do"), Dom.make("p", { class: "remedy" }, group.remedy)] : null,
                entry(group),
            ),
            Dom.make(
                "div",
                {},
                group.story && group.story.length > 0 ? [Dom.make("h4", {}, "The life of the first buffer"), Dom.make("ol", { class: "story", tabindex: "0" }, group.story.map((line) => Dom.make("li", {}, line)))] : null,
                group.frames.length > 0 ? [Dom.make("h4", {}, "Allocated by"), Dom.make("ol", { class: "frames", tabindex: "0" }, group.frames.map((frame) => Dom.make("li", {}, frame)))] : null,
                Dom.make("p", { class: "print-only" }, group.fingerprint ? `Fingerprint ${group.fingerprint}` : ""),
                group.buffers.length > 0
                    ? Dom.make(
                          "p",
                          {},
                          Dom.make(
                              "a",
                              {
                                  href: "#map",
                                  class: "to-map",
                                  onclick: () => Cursor.choose(group.buffers[0], "groups"),
                              },
                              "Show it on the lifetime map",
                          ),
                      )
                    : null,
            ),
        );

    const name = (group) => `${group.type} ${Words.size(group.size)} x ${group.count}`;

    const text = (group) => [group.cause, group.standing, group.knowledge, group.type, group.label, group.phase, group.site, group.fingerprint, ...group.evidence.map((fact) => fact.words), ...group.frames].join("\n").toLowerCase();

    const columns = (data) => [
        {
            key: "cause",
            title: "Cause",
            value: (group) => group.cause || "",
            cells: (group) => [
                Dom.make("span", { class: `standing standing-${STANDINGS[group.standing]}`, title: group.standing.toLowerCase() }, Dom.mark(STANDINGS[group.standing]), Dom.make("b", {}, group.cause || STANDINGS[group.standing])),
                Dom.make("span", { class: "badges" }, group.consequenceOf == null ? null : Dom.make("span", { class: "badge badge-with", title: "It goes away with another one" }, "with it"), badge(group), group.standing === "LEAKED" ? null : Dom.make("span", { class: `badge badge-${STANDINGS[group.standing]}` }, STANDINGS[group.standing])),
            ],
        },
        { key: "bytes", title: "Bytes", number: true, value: (group) => group.bytes, cells: (group) => Dom.make("span", { title: `${group.count} x ${Words.size(group.size)}` }, Words.shortSize(group.bytes)) },
        { key: "count", title: "Buffers", number: true, value: (group) => group.count, cells: (group) => String(group.count) },
        { key: "devices", title: "Devices", value: (group) => group.devices.length, cells: (group) => dots(group, data) },
        { key: "type", title: "Type", value: (group) => group.type, cells: (group) => group.type },
        { key: "label", title: "Label", value: (group) => group.label || "", cells: (group) => (group.label ? Dom.make("span", { class: "label" }, group.label) : Dom.make("span", { class: "absent" }, "–")) },
        { key: "phase", title: "Born in", value: (group) => group.phase, cells: (group) => group.phase },
        { key: "site", title: "Origin", value: (group) => group.site || "", cells: (group) => (group.site ? Dom.frame(Words.shortFrame(group.site), group.site) : Dom.make("span", { class: "absent" }, "–")) },
    ];

    /** Reports that fit nothing: a free of what was free, an allocation over another. A hundred of a kind are one line. */
    const anomalies = (data) => {
        const kinds = new Map();
        for (const anomaly of data.anomalies || []) {
            kinds.set(anomaly.words, [...(kinds.get(anomaly.words) || []), anomaly]);
        }
        return kinds.size === 0
            ? ""
            : Dom.make(
                  "div",
                  { class: "anomalies", id: "anomalies" },
                  Dom.make("h3", {}, "Reports that do not fit"),
                  Dom.make(
                      "ul",
                      {},
                      [...kinds].map(([words, [first, ...more]]) =>
                          Dom.make("li", { "data-count": more.length + 1 }, Dom.mark(first.unbalancesBooks ? "misreported" : "freed"), ` ${words}: ${first.type} ${Words.address(first.address)} on device ${first.device} `, eventLink(first.event), more.length === 0 ? null : ` and ${Words.count(more.length, "time")} more`),
                      ),
                  ),
              );
    };

    const show = (data) => {
        const section = Dom.section("groups");
        if (data.groups.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "Nothing is left: every buffer that was allocated was given back."), anomalies(data));
            return;
        }
        const chosen = { search: "", standing: "", knowledge: "" };
        const table = SortableTable.create({
            id: "groups-table",
            caption: "What is left",
            columns: columns(data),
            rows: data.groups,
            detail: (group) => detail(group, data),
            rowProperties: (group) => ({ class: `row-${STANDINGS[group.standing]}`, "data-fingerprint": group.fingerprint }),
        });
        const apply = () =>
            table.filter(
                (group) =>
                    (chosen.search === "" || text(group).includes(chosen.search)) &&
                    (chosen.standing === "" || group.standing === chosen.standing) &&
                    (chosen.knowledge === "" || group.knowledge === chosen.knowledge),
            );
        const set = (key) => (value) => {
            chosen[key] = value;
            apply();
        };
        const standings = [...new Set(data.groups.map((group) => group.standing))];
        const knows = data.groups.some((group) => group.knowledge !== "none");
        section.append(
            Dom.make(
                "div",
                { class: "controls" },
                Dom.search("groups-search", "Find", set("search")),
                standings.length < 2 ? null : Dom.select("groups-standing", "Show", [["", "all"], ...standings.map((standing) => [standing, STANDINGS[standing]])], set("standing")),
                !knows
                    ? null
                    : Dom.select(
                          "groups-knowledge",
                          "Baseline",
                          [
                              ["", "new and known"],
                              ["new", "new"],
                              ["known", "known"],
                          ],
                          set("knowledge"),
                      ),
            ),
            table.element,
            data.aggregated.groups && data.aggregated.groups.shown < data.aggregated.groups.of ? Dom.make("p", { class: "aggregated" }, `${data.aggregated.groups.shown} of ${data.aggregated.groups.of} groups are in this page: the worst.`) : "",
            anomalies(data),
        );
        if (data.groups.length <= 3) {
            table.open(0);
        }
        addEventListener("beforeprint", () => data.groups.slice(0, 12).forEach((_, index) => table.open(index)));
        Cursor.onChoose((rectangle, source) => {
            if (source === "map" && rectangle !== undefined && data.rectangles.group[rectangle] >= 0) {
                table.open(data.rectangles.group[rectangle]);
            }
        });
    };

    return { show };
})();
