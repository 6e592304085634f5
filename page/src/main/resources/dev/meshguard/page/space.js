"use strict";

/** Shows the address space of the allocators at a chosen event: a strip for each memory, devices that are alike in one. */
const SpaceView = (() => {
    const FIRST = 12;

    let data;
    let model;
    let details;
    let colours;
    let input;
    let moment;
    let strips;
    let readout;
    let table;
    let isUnfolded = false;
    let isInView = false;
    let isBehind = true;

    const event = () => Cursor.event ?? data.peak.event;

    const devicesOf = (devices) => (devices[0] < 0 ? "no device" : devices.length === 1 ? `device ${devices[0]}` : `${devices.length} devices`);

    const name = (bank) => `${bank.type} of ${devicesOf(bank.devices)}`;

    const percent = (share) => (share > 0 && share < 0.001 ? "less than 0.1 %" : `${Math.round(share * 1000) / 10} %`);

    const figure = (title, text, key) => Dom.make("div", {}, Dom.make("dt", {}, title), Dom.make("dd", { "data-figure": key }, text));

    const figures = (bank) =>
        Dom.make(
            "dl",
            { class: "space-figures" },
            figure("blocks", String(bank.blocks.length), "blocks"),
            bank.blocks.some((index) => data.rectangles.perBank[index] < 0) ? null : figure("used", bank.capacity === undefined ? Format.shortSize(bank.used) : `${Format.shortSize(bank.used)} of ${Format.shortSize(bank.capacity)}`, "used"),
            bank.free === undefined ? null : figure("free", Format.shortSize(bank.free), "free"),
            bank.largest === undefined ? null : figure("largest free block", Format.shortSize(bank.largest), "largest"),
            bank.fragmentation === undefined ? null : figure("fragmentation", percent(bank.fragmentation), "fragmentation"),
        );

    const holeTip = (part) => [Dom.make("p", {}, Dom.make("b", {}, `Free: ${Format.size(part.to - part.from)}`), " in each bank"), Dom.make("p", {}, `from ${Format.address(part.from)} to 0x${part.to.toString(16)}`)];

    const blockTip = (part) => [...details.tip(part.index), part.to > part.from ? Dom.make("p", {}, `${Format.size(part.to - part.from)} in each bank`) : null];

    const summary = (part) => (part.index === undefined ? `Free: ${Format.size(part.to - part.from)} from ${Format.address(part.from)}` : details.summary(part.index));

    const choose = (part) => {
        readout.replaceChildren(summary(part), part.index === undefined ? "" : " · ", part.index === undefined ? "" : Address.link("buffer", data.rectangles.from[part.index], "Show it on the lifetime map"));
    };

    const strip = (bank, number) => {
        const canvas = Dom.make("canvas", { tabindex: "0", role: "application", "aria-label": `Address space of ${name(bank)}: ${Format.count(bank.blocks.length, "block")}; arrow keys go from one to the next, and the table below lists them`, "aria-describedby": "space-readout" });
        const title = [Dom.make("h3", {}, bank.type, ` of ${devicesOf(bank.devices)}`), Dom.make("span", { class: "of-allocator" }, [bank.devices.length > 1 ? `devices ${bank.devices.join(", ")}` : null, bank.allocator ? `allocator of ${bank.allocator}` : null, bank.banks ? `each of ${bank.banks} banks` : "each bank"].filter(Boolean).join(" · "))];
        const holder = Dom.make("div", { class: "space-bank" }, canvas);
        const element = Dom.make(
            "div",
            { class: "space-strip", "data-type": bank.type, "data-devices": bank.devices.join(), "data-strip": number },
            Dom.make("div", { class: "space-title" }, title),
            figures(bank),
            holder,
            bank.why ? Dom.make("p", { class: "note" }, `Unknown: ${bank.why}.`) : null,
            bank.overlaps > 0 ? Dom.make("p", { class: "note" }, `${Format.count(bank.overlaps, "block")} ${bank.overlaps === 1 ? "overlaps another: the report of a free is" : "overlap others: reports of frees are"} missing.`) : null,
        );
        let parts = [];
        let chosen;
        const paint = () => {
            parts = SpacePainter.paint(canvas, bank, data, colours, false, chosen);
            canvas.dataset.parts = parts.length;
        };
        const at = (pointer) => {
            const x = pointer.clientX - canvas.getBoundingClientRect().left;
            const hit = parts.filter((part) => part.left - 1 <= x && x <= part.right + 1);
            return hit.find((part) => part.index !== undefined && part.left <= x && x <= part.right) || hit[0];
        };
        const tip = (part) => part && (part.index === undefined ? holeTip(part) : blockTip(part));
        Tooltip.follow(canvas, (pointer) => tip(at(pointer)));
        canvas.addEventListener("click", (pointer) => {
            const part = at(pointer);
            if (part) {
                chosen = parts.indexOf(part);
                paint();
                choose(part);
            }
        });
        canvas.addEventListener("keydown", (key) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[key.key];
            if (by && parts.length > 0) {
                key.preventDefault();
                chosen = chosen === undefined ? (by > 0 ? 0 : parts.length - 1) : Math.max(0, Math.min(parts.length - 1, chosen + by));
                paint();
                choose(parts[chosen]);
                const box = canvas.getBoundingClientRect();
                Tooltip.show(box.left + parts[chosen].left, box.top + 20, tip(parts[chosen]));
            } else if (key.key === "Enter" && parts[chosen]?.index !== undefined) {
                location.hash = `#buffer-${data.rectangles.from[parts[chosen].index]}`;
            }
        });
        return { element, paint };
    };

    const text = (position) => (position < 0 ? "" : data.strings[position]);

    const rows = (banks) => banks.flatMap((bank) => bank.blocks.map((index) => ({ index, bank })));

    const blocks = (banks) => {
        const { address, perBank, size, label, site, from, to, mark } = data.rectangles;
        return SortableTable.create({
            id: "space-table",
            caption: "Blocks of the address space",
            limit: 50,
            rows: rows(banks),
            columns: [
                { key: "memory", title: "Memory", value: ({ bank }) => name(bank), cells: ({ bank }) => name(bank) },
                { key: "address", title: "Address", number: true, value: ({ index }) => address[index], cells: ({ index }) => `0x${address[index].toString(16)}` },
                { key: "bank", title: "In each bank", number: true, value: ({ index }) => perBank[index], cells: ({ index }) => (perBank[index] < 0 ? Dom.absent() : Format.shortSize(perBank[index])) },
                { key: "size", title: "Size", number: true, value: ({ index }) => size[index], cells: ({ index }) => Format.shortSize(size[index]) },
                { key: "label", title: "Label", value: ({ index }) => text(label[index]), cells: ({ index }) => text(label[index]) || Dom.absent() },
                { key: "site", title: "Line", value: ({ index }) => text(site[index]), cells: ({ index }) => (site[index] < 0 ? Dom.absent() : Dom.frame(Format.shortFrame(text(site[index])), text(site[index]))) },
                { key: "from", title: "Allocated", number: true, value: ({ index }) => from[index], cells: ({ index }) => Address.event(from[index]) },
                { key: "to", title: "Freed", number: true, value: ({ index }) => (to[index] < 0 ? Infinity : to[index]), cells: ({ index }) => (to[index] < 0 ? Format.MARKS[mark[index]] : Address.event(to[index])) },
            ],
        }).element;
    };

    const showTable = () => {
        if (table.open) {
            table.lastElementChild.replaceChildren(blocks(model.at(event(), Cursor.device)));
        }
    };

    const draw = () => {
        isBehind = false;
        const banks = model.at(event(), Cursor.device);
        const phase = [...data.phases].reverse().find((one) => one.from <= event());
        input.value = event();
        moment.textContent = `${phase ? `in ${phase.name}; ` : ""}${Format.shortSize(banks.reduce((sum, bank) => sum + bank.bytes * bank.devices.length, 0))} live${event() === data.peak.event ? ", the peak of the run" : ""}`;
        const shown = isUnfolded ? banks : banks.slice(0, FIRST);
        const made = shown.map(strip);
        strips.replaceChildren(
            ...made.map(({ element }) => element),
            shown.length === banks.length
                ? ""
                : Dom.make(
                      "button",
                      {
                          type: "button",
                          id: "space-unfold",
                          onclick: () => {
                              isUnfolded = true;
                              draw();
                              strips.querySelectorAll("canvas")[FIRST].focus({ preventScroll: true });
                          },
                      },
                      `Show all ${banks.length} strips`,
                  ),
        );
        made.forEach(({ paint }) => paint());
        strips.dataset.event = event();
        showTable();
    };

    /** Nobody waits for what is not on the screen. */
    const follow = () => {
        isBehind = true;
        if (isInView) {
            draw();
        }
    };

    const show = (newData) => {
        data = newData;
        model = SpaceModel.of(data);
        const section = Dom.section("space");
        if (model.isEmpty) {
            section.append(Dom.make("p", { class: "empty" }, "No buffer of an allocator was allocated."));
            return;
        }
        details = MapDetails.create(data);
        colours = FindingColours.create(data);
        input = Dom.make("input", { type: "number", id: "space-event", min: "1", max: String(data.end), value: String(event()) });
        input.addEventListener("input", () => {
            const number = input.valueAsNumber;
            if (Number.isInteger(number) && number >= 1 && number <= data.end) {
                Cursor.moveTo(number, "space");
            }
        });
        moment = Dom.make("span", { class: "moment", id: "space-moment" });
        strips = Dom.make("div", { class: "space-strips", id: "space-strips" });
        readout = Dom.make("p", { class: "readout", id: "space-readout", role: "status" });
        table = Dom.make("details", { id: "space-blocks" }, Dom.make("summary", {}, "Blocks as a table"), Dom.make("div"));
        table.addEventListener("toggle", showTable);
        section.append(
            Dom.make("p", { class: "lead" }, "What the allocators hold at one event. Choose it here, or by a click in the map, in live bytes or in the events."),
            Dom.make(
                "div",
                { class: "controls" },
                Dom.make("label", { class: "field" }, Dom.make("span", {}, "Event"), input),
                Dom.make("button", { type: "button", id: "space-peak", onclick: () => Cursor.moveTo(data.peak.event, "space") }, "Peak of the run"),
                moment,
            ),
            strips,
            readout,
            table,
            Dom.make("p", { class: "note" }, "Left to right: the addresses of one bank, in the colours of the map; long holes are drawn short. A buffer occupies the same address in each bank. Fragmentation is the share of the free bytes outside the largest free block."),
        );
        Address.onOpen("space", (number) => {
            Cursor.moveTo(Math.max(1, Math.min(data.end, Number(number))), "address");
            section.scrollIntoView();
        });
        Cursor.onMove(follow);
        Cursor.onDevice(follow);
        Dom.onNewWidth(strips, () => !isBehind && draw());
        Dom.onTheme(draw);
        new IntersectionObserver((entries) => {
            isInView = entries[entries.length - 1].isIntersecting;
            if (isInView && isBehind) {
                draw();
            }
        }).observe(section);
    };

    return { show };
})();
