"use strict";

/** Shows the page of a run: reads its data, and draws one view after the other. */
(() => {
    const navigation = (data) => {
        const counts = { groups: Findings.all(data).length, expectations: data.expectations.length };
        const place = Dom.section("views");
        const showAll = () => {
            Cursor.device.set(undefined);
            Address.clear();
        };
        const wholeRun = Dom.make("button", { type: "button", id: "whole-run", class: "only", hidden: true, onclick: () => Cursor.range.set(undefined) });
        const only = Dom.make("button", { type: "button", id: "all-devices", class: "only", hidden: true, onclick: showAll });
        const readout = Dom.make("p", { id: "cursor", class: "cursor", role: "status" });
        place.append(
            Dom.make(
                "ul",
                {},
                [...document.querySelectorAll("main > section")]
                    .filter((section) => !section.hidden)
                    .map((section) => Dom.make("li", {}, Dom.make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent, counts[section.id] > 0 ? Dom.make("span", { class: "count" }, String(counts[section.id])) : null))),
            ),
            only,
            wholeRun,
            readout,
        );
        Cursor.range.onChange((range) => {
            wholeRun.hidden = range === undefined;
            wholeRun.textContent = `Events ${(range || []).map((event) => `#${event}`).join(" to ")} only: show all`;
        });
        Cursor.device.onChange((device) => {
            only.hidden = device === undefined;
            only.textContent = `Device ${device} only: show all`;
        });
        Cursor.event.onChange((event, source) => {
            if (source !== "address") {
                Address.set(source === "space" ? "space" : "event", event);
            }
            const phase = data.phases.findLast((one) => one.from <= event);
            readout.textContent = `Event #${event}${phase ? ` · ${phase.name}` : ""}`;
        });
    };

    /** Waits until the browser has shown what is in the document; a tab in the background shows nothing. */
    const nextFrame = () => new Promise((resolve) => (document.hidden ? resolve() : requestAnimationFrame(() => setTimeout(resolve))));

    const start = async () => {
        const data = await PageData.read();
        Findings.link(data);
        Dom.section("views").hidden = false;
        Dom.section("main").hidden = false;
        HeadView.show(data);
        SurvivorsView.show(data);
        // What matters most is on the screen before the rest is computed.
        document.documentElement.dataset.first = String(Math.round(performance.now()));
        await nextFrame();
        Axis.start(data);
        MapView.show(data);
        await nextFrame();
        LiveView.show(data);
        SpaceView.show(data);
        MatrixView.show(data);
        GrowthView.show(data);
        OriginsView.show(data);
        EventsView.show(data);
        ExpectationsView.show(data);
        navigation(data);
        document.querySelector(location.hash.length > 1 ? `[id="${CSS.escape(location.hash.slice(1))}"]` : "nothing")?.scrollIntoView();
        Address.follow();
        document.documentElement.dataset.shown = String(Math.round(performance.now()));
    };

    /** The text for browsers that run no scripts. */
    const plainText = () => new DOMParser().parseFromString(document.querySelector("noscript").textContent, "text/html").querySelector("pre").textContent;

    start().catch((error) => {
        Dom.section("head").append(Dom.make("p", { class: "broken", role: "alert" }, `This page cannot show its figures: ${error.message}`));
        if (Dom.section("main").hidden) {
            Dom.section("head").after(Dom.make("pre", { id: "plain-text" }, plainText()));
        }
        throw error;
    });
})();
