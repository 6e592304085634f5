"use strict";

/** Shows what happened to memory: a shortage with the memory that had no room, replays of traces, and overlaps. */
const IncidentView = (() => {
    const row = (fact) => Dom.make("div", { "data-fact": fact.name }, Dom.make("dt", {}, fact.name), Dom.make("dd", {}, Address.linked(fact.text, [])));

    const facts = (all) => (all.length === 0 ? null : Dom.make("dl", {}, all.map(row)));

    const finding = (one) =>
        Dom.make(
            "li",
            {},
            Dom.make("p", { class: "what" }, one.title),
            one.sites.map((site) => Dom.make("p", { class: "where" }, "at ", Dom.frame(site))),
            facts(one.facts),
        );

    /** A bank as the view of the address space paints it. */
    const bankOf = ({ type, start, end, blocks }) => {
        const { spans } = Spans.joined(blocks.map((block) => [Math.max(start, block.start), Math.min(end, block.start + block.size)]).filter(([from, to]) => to > from));
        const holes = Spans.holes(spans, start, end);
        return { type, base: start, end, used: Spans.total(spans), spans, holes, largest: Spans.largest(holes), blocks: [...blocks.keys()] };
    };

    const space = (shortage) => {
        const bank = bankOf(shortage);
        const none = shortage.blocks.map(() => 0);
        const data = { rectangles: { address: shortage.blocks.map(({ start }) => start), perBank: shortage.blocks.map(({ size }) => size), mark: none, group: none } };
        const canvas = Dom.make("canvas", {
            role: "img",
            "aria-label": `A bank of ${shortage.type} when the request was rejected: ${Format.count(bank.blocks.length, "block")}, ${Format.shortSize(shortage.needed)} needed, largest free block ${Format.shortSize(bank.largest)}`,
        });
        const strip = Dom.make("div", { class: "space-bank", id: "shortage-space" }, canvas);
        let parts = [];
        const paint = () => {
            parts = SpacePainter.paint(canvas, bank, data, { ofGroup: [] }, true);
            canvas.dataset.parts = parts.length;
        };
        Tooltip.follow(canvas, (pointer) => {
            const x = pointer.clientX - canvas.getBoundingClientRect().left;
            const part = parts.find(({ left, right }) => left <= x && x <= right);
            return part && [Dom.make("p", {}, part.index === undefined ? `Free: ${Format.size(part.to - part.from)}` : shortage.blocks[part.index].text), Dom.make("p", {}, `from ${Format.address(part.from)}`)];
        });
        new ResizeObserver(paint).observe(strip);
        Dom.onTheme(paint);
        const needed = shortage.isRange
            ? `The ${Format.shortSize(shortage.needed)} that were needed in a bank of ${shortage.type}, at the moment of the error`
            : `A bank of ${shortage.type} at the moment of the error; ${Format.shortSize(shortage.needed)} were needed in one piece`;
        return Dom.make("figure", { class: "shortage" }, strip, Dom.make("figcaption", {}, needed));
    };

    /** The card of all incidents; nothing if there is none. */
    const card = (data) =>
        data.incidents.length === 0
            ? null
            : Dom.make(
                  "div",
                  { class: "incidents", id: "incidents" },
                  data.incidents.map((incident, index) =>
                      Dom.make(
                          "section",
                          { "data-incident": index },
                          incident.headline === data.headline ? null : Dom.make("h3", {}, incident.headline),
                          facts(incident.facts),
                          index === 0 && data.shortage ? space(data.shortage) : null,
                          incident.findings.length === 0 ? null : Dom.make("ol", {}, incident.findings.map(finding)),
                      ),
                  ),
              );

    return { card };
})();
