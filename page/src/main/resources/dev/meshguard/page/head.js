"use strict";

/** Shows the head of the page: outcome, largest finding, mesh, sum, and the command that runs the test again. */
const HeadView = (() => {
    const PARTS = [
        ["freed", "freed"],
        ["late", "freed late"],
        ["leaked", "leaked"],
        ["misreported", "misreported"],
        ["expected", "expected"],
        ["undecided", "undecided"],
    ];

    /** The sentence before the sum: the first line of the text without its first word and its bracket. */
    const sentence = (headline) =>
        headline
            .replace(/\s*\[[^\]]*\]\s*$/, "")
            .replace(/^[A-Z][A-Z_ ]*?\s{2,}/, "")
            .trim();

    /** A part of the bar is as wide as its buffers are many; survivors beside thousands of freed ones are still seen. */
    const part = (key, buffers) => {
        const shown = Dom.make("span");
        shown.style.flexGrow = buffers;
        shown.style.background = `var(--${key})`;
        return shown;
    };

    const sum = (data) => {
        const parts = PARTS.filter(([key]) => key === "freed" || data.sum[key] > 0);
        return Dom.make(
            "div",
            { class: "sum", id: "sum" },
            Dom.make(
                "p",
                {},
                Dom.make("span", { class: "term" }, Dom.make("b", { "data-sum": "allocated" }, String(data.sum.allocated)), " allocated"),
                parts.map(([key, word], index) => [
                    " ",
                    Dom.make("span", { class: "sign" }, index === 0 ? "=" : "+"),
                    " ",
                    Dom.make("span", { class: `term term-${key}` }, key === "freed" ? null : Dom.mark(key), Dom.make("b", { "data-sum": key }, String(data.sum[key])), ` ${word}`),
                ]),
            ),
            data.sum.allocated > 0 ? Dom.make("div", { class: "sum-bar", "aria-hidden": "true" }, parts.map(([key]) => data.sum[key] > 0 && part(key, data.sum[key]))) : null,
        );
    };

    const causes = (data) =>
        data.causes.length === 0
            ? null
            : Dom.make(
                  "ul",
                  { class: "causes", id: "causes", "aria-label": "Causes" },
                  data.causes.map((cause) => {
                      const groups = data.groups.filter((group) => group.cause === cause.cause && group.status !== "EXPECTED");
                      return Dom.make(
                          "li",
                          { "data-cause": cause.cause },
                          Dom.make("b", {}, cause.cause),
                          ` ${Format.count(groups.filter((group) => group.foldedInto == null && group.consequenceOf == null).length, "finding")} · ${Format.units(cause.buffers, Findings.units(groups))}`,
                          cause.bytes === 0 ? null : [" · ", Dom.make("span", { title: Format.size(cause.bytes) }, Format.shortSize(cause.bytes))],
                      );
                  }),
              );

    /** The finding that the first line of the text names. */
    const largest = (data) => data.largest && data.groups[data.largest.group];

    const row = (name, ...content) => Dom.make("div", {}, Dom.make("dt", {}, name), Dom.make("dd", {}, content));

    /** Returns `24 DRAM buffers`; the name of objects is that of their memory: `10 RocksIterator`. */
    const counted = (finding) => Format.units(Findings.count(finding), finding.units.map((unit) => (unit === finding.type ? unit : `${finding.type} ${unit}`)));

    const finding = (data) => {
        const group = largest(data);
        if (!group) {
            return null;
        }
        const { of, bytes, buffers } = data.largest;
        const consequences = buffers - Findings.count(group);
        const devices = Findings.devices(group);
        const why = group.evidence[0];
        return Dom.make(
            "div",
            { class: "finding", id: "largest", "data-finding": group.number },
            Dom.make(
                "p",
                { class: "what" },
                of === 1 ? null : Dom.make("span", { class: "rank" }, `Largest of ${of}`),
                bytes === 0 ? null : [Dom.make("b", { title: Format.size(bytes) }, Format.shortSize(bytes)), " in "],
                `${counted(group)}${consequences > 0 ? ` and ${consequences} freed with ${Findings.count(group) === 1 ? "it" : "them"}` : ""}${devices.length === 0 ? "" : ` on ${devices.length === 1 ? `device ${devices[0]}` : `${devices.length} devices`}`}`,
                group.label ? [", label ", Dom.make("span", { class: "label" }, `“${group.label}”`)] : null,
            ),
            group.site ? Dom.make("p", { class: "where" }, "at ", Dom.frame(group.site)) : null,
            (group.callers || []).map((caller) => Dom.make("p", { class: "where caller" }, "at ", Dom.frame(caller))),
            Dom.make(
                "dl",
                {},
                row("why", Dom.make("b", {}, group.cause), why ? [": ", Address.linked(why.text, why.events)] : null),
                group.fix ? row("fix", group.fix) : null,
            ),
            Address.link("finding", group.number, "Evidence, stack and timeline", { class: "to-finding" }),
        );
    };

    /** A budget that was exceeded and memory that grows, each in the first sentence of its text. */
    const alerts = (data) => {
        const found = [];
        if (data.budgets && !data.budgets.met) {
            found.push(["#live-budgets", "Budget exceeded", (data.budgets.text[1] || data.budgets.text[0]).replace(/^1\. /, "")]);
        }
        if (data.growth && data.growth.trend === "GROWING") {
            found.push(["#growth", "Growth", data.growth.text[0].replace(/^[A-Z]+\s+/, "")]);
        }
        return found.length === 0 ? null : Dom.make("ul", { class: "alerts", id: "alerts" }, found.map(([href, title, text]) => Dom.make("li", {}, Dom.make("a", { href }, title), `: ${text}`)));
    };

    const MEANINGS = { leaked: "leaks", late: "freed late", misreported: "misreported", undecided: "undecided", expected: "expected only", clean: "clean" };

    const toggle = (device) => {
        if (Cursor.device.value === device) {
            Cursor.device.set(undefined);
            Address.clear();
        } else {
            Cursor.device.set(device);
            Address.set("device", device);
        }
    };

    const cell = (device, most) => {
        const what = device.leakedBuffers > 0 ? `${Format.count(device.leakedBuffers, "buffer")}, ${Format.size(device.leakedBytes)} leaked` : MEANINGS[device.mark];
        const made = Dom.make(
            "td",
            { class: `device device-${device.mark}`, "data-device": device.id },
            Dom.make(
                "button",
                { type: "button", "aria-pressed": "false", title: `Device ${device.id}: ${what}. Click to see only this device.`, onclick: () => toggle(device.id) },
                Dom.mark(device.mark),
                Dom.make("span", { class: "device-id" }, Dom.make("span", { class: "visually-hidden" }, "Device "), String(device.id)),
                Dom.make("span", { class: "visually-hidden" }, ` ${what}`),
                device.leakedBytes > 0 ? Dom.make("span", { class: "device-bytes", "aria-hidden": "true" }, Format.shortSize(device.leakedBytes)) : null,
            ),
        );
        made.style.setProperty("--heat", `${Math.round((100 * device.leakedBytes) / (most || 1))}%`);
        return made;
    };

    const mesh = (data) => {
        const { rows, columns, devices } = data.mesh;
        const most = Math.max(0, ...devices.map((device) => device.leakedBytes));
        const places = Array.from({ length: rows }, () => Array.from({ length: columns }, () => Dom.make("td", { class: "none" })));
        devices.forEach((device) => {
            places[device.row][device.column] = cell(device, most);
        });
        const used = Object.keys(MEANINGS).filter((name) => devices.some((device) => device.mark === name));
        return Dom.make(
            "figure",
            { class: "mesh", id: "mesh" },
            Dom.make("div", { class: "scroll", tabindex: columns > 8 ? "0" : undefined }, Dom.make("table", {}, Dom.make("caption", { class: "visually-hidden" }, "The mesh: the outcome of each device and the bytes that leaked on it"), Dom.make("tbody", {}, places.map((cells) => Dom.make("tr", {}, cells))))),
            Dom.make(
                "figcaption",
                {},
                `${rows}×${columns} mesh${most > 0 ? ", bytes leaked per device" : ""}`,
                used.map((name) => Dom.make("span", { class: "key" }, Dom.mark(name), MEANINGS[name])),
            ),
        );
    };

    const show = (data) => {
        // A test that failed for lack of memory says so: what remained after the failure may be no leak.
        const outcome = data.headline.startsWith("OUT OF MEMORY") ? { word: "Out of memory", mark: "leaked" } : Format.outcome(data.outcome);
        document.documentElement.dataset.outcome = outcome.mark;
        const head = Dom.section("head");
        head.append(
            Dom.make(
                "div",
                { class: "verdict" },
                Dom.make("p", { class: `outcome outcome-${outcome.mark}`, id: "outcome", "data-outcome": data.outcome }, Dom.mark(outcome.mark), Dom.make("span", {}, outcome.word)),
                Dom.make("p", { class: "sentence", id: "headline" }, sentence(data.headline)),
                IncidentView.card(data),
                finding(data),
                alerts(data),
            ),
            data.mesh.devices.length === 0 ? "" : mesh(data),
            Dom.make(
                "div",
                { class: "rest" },
                sum(data),
                causes(data),
                data.caveats.length === 0
                    ? null
                    : Dom.make(
                          "ul",
                          { class: "caveats", id: "caveats", "aria-label": "What the numbers do not mean" },
                          data.caveats.map((caveat) => Dom.make("li", { class: caveat.makesInconclusive ? "decides" : undefined }, caveat.makesInconclusive ? Dom.mark("undecided") : null, Dom.make("span", {}, caveat.text))),
                      ),
                Dom.make(
                    "div",
                    { class: "run-again" },
                    Dom.copyButton("Copy the text of this verdict", data.text, { id: "copy-text", class: "primary" }),
                    data.reproduction ? Dom.make("p", { class: "reproduce" }, Dom.make("span", {}, "Reproduce"), Dom.make("code", { id: "reproduction" }, data.reproduction), Dom.copyButton("Copy", data.reproduction, { id: "copy-reproduction", "aria-label": "Copy the command" })) : null,
                ),
            ),
        );
        Cursor.device.onChange((shown) => {
            for (const cell of head.querySelectorAll(".device")) {
                cell.firstChild.setAttribute("aria-pressed", String(Number(cell.dataset.device) === shown));
            }
        });
        Address.onOpen("device", (number) => {
            if (data.mesh.devices.some((device) => device.id === Number(number))) {
                Cursor.device.set(Number(number));
                Dom.section("groups").scrollIntoView();
            }
        });
    };

    return { show, largest };
})();
