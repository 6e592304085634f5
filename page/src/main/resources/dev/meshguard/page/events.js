"use strict";

/** Shows the list of events, of which only those in view are in the document. */
const EventsView = (() => {
    const ROW = 26;
    const MORE = 6;

    let data;
    let shown;
    let list;
    let rows;
    let status;
    let filters;

    const text = (position) => (position < 0 || position === undefined ? "" : data.strings[position]);

    /** The columns of an event as text, followed by its details. */
    const described = (index) => {
        const events = data.events;
        const isOnDevice = events.device[index] >= 0;
        const memory = [
            text(events.type[index]),
            events.size[index] < (isOnDevice ? 0 : 1) ? "" : Format.shortSize(events.size[index]),
            events.address[index] < 0 ? "" : isOnDevice ? `at ${Format.hex(events.address[index])}` : `number ${events.address[index]}`,
            isOnDevice ? `on device ${events.device[index]}` : "",
        ].filter((part) => part !== "");
        const details = text(events.text[index]);
        return [memory.join(" "), details].filter((part) => part !== "").join(", ");
    };

    /** The position in the list of an event, or of the last one before it. */
    const positionOf = (number) => {
        const at = Axis.last(shown.map((index) => data.events.number[index]), number);
        return Math.min(shown.length - 1, Math.max(0, at));
    };

    const row = (position) => {
        const index = shown[position];
        const events = data.events;
        const number = events.number[index];
        const line = Dom.make(
            "div",
            { class: "event", id: `event-${number}`, role: "option", "aria-selected": String(Cursor.event.value === number), "aria-setsize": shown.length, "aria-posinset": position + 1, "data-event": number },
            Dom.make("span", { class: "event-number" }, `#${number}`),
            Dom.make("span", { class: "event-kind" }, text(events.kind[index]).toLowerCase().replaceAll("_", " ")),
            Dom.make("span", { class: "event-text" }, described(index)),
            Dom.make("span", { class: "event-phase" }, text(events.phase[index])),
        );
        line.style.transform = `translateY(${position * ROW}px)`;
        return line;
    };

    const draw = () => {
        const first = Math.max(0, Math.floor(list.scrollTop / ROW) - MORE);
        const last = Math.min(shown.length - 1, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + MORE);
        rows.replaceChildren(...Array.from({ length: last - first + 1 }, (_, place) => row(first + place)));
        list.setAttribute("aria-activedescendant", rows.querySelector("[aria-selected=true]")?.id ?? "");
    };

    const reveal = (position) => {
        if (position < 0) {
            return;
        }
        const top = position * ROW;
        if (top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight) {
            list.scrollTop = Math.max(0, top - list.clientHeight / 2);
        }
    };

    const filter = () => {
        const events = data.events;
        const { search, kind } = filters.values;
        const [first, last] = Cursor.range.value ?? [0, Infinity];
        const device = Cursor.device.value;
        const holds = (index) =>
            first <= events.number[index] &&
            events.number[index] <= last &&
            (device === undefined || events.device[index] === device) &&
            (kind === "" || text(events.kind[index]) === kind) &&
            (search === "" || described(index).toLowerCase().includes(search) || `#${events.number[index]}` === search);
        shown = [...events.number.keys()].filter(holds);
        rows.style.height = `${shown.length * ROW}px`;
        const all = events.number.length;
        status.textContent = `${shown.length === all ? "" : `${Format.thousands(shown.length)} of `}${Format.thousands(all)} ${all === 1 ? "event" : "events"}`;
        if (Cursor.event.value !== undefined) {
            reveal(positionOf(Cursor.event.value));
        }
        draw();
    };

    const onKey = (event) => {
        const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
        const now = Cursor.event.value === undefined ? -1 : positionOf(Cursor.event.value);
        const targets = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + page, PageUp: now - page, Home: 0, End: shown.length - 1 };
        if (targets[event.key] !== undefined && shown.length > 0) {
            event.preventDefault();
            const position = Math.max(0, Math.min(shown.length - 1, targets[event.key]));
            Cursor.event.set(data.events.number[shown[position]]);
        }
    };

    /** Moves the cursor of all views to an event, and shows it in the list even if a filter hid it. */
    const showEvent = (number) => {
        if (data.events.number[shown[positionOf(number)]] !== number) {
            filters.clear();
            Cursor.device.set(undefined);
            Cursor.range.set(undefined);
        }
        Cursor.event.set(Math.max(1, Math.min(data.end, number)), "address");
        Dom.section("events").scrollIntoView();
        list.focus({ preventScroll: true });
    };

    const show = (newData) => {
        data = newData;
        const section = Dom.section("events");
        if (data.events.number.length === 0) {
            section.append(Dom.make("p", { class: "empty" }, "No event was recorded."));
            return;
        }
        const kinds = [...new Set(data.events.kind)].map(text).sort();
        rows = Dom.make("div", { class: "event-rows", role: "presentation" });
        list = Dom.make("div", { class: "event-list", id: "event-list", role: "listbox", tabindex: "0", "aria-label": "Events; arrow keys move the cursor of all views" }, rows);
        status = Dom.make("p", { class: "counted", id: "events-counted", role: "status" });
        filters = Dom.filters(filter, {
            search: (set) => Dom.search("events-search", "Find", set),
            kind: (set) => Dom.select("events-kind", "Kind", [["", "all"], ...kinds.map((kind) => [kind, kind.toLowerCase().replaceAll("_", " ")])], set),
        });
        section.append(
            filters.element,
            list,
            status,
            Dom.omitted(data.aggregated.events, "events are in this page: all that the findings name are among them.", "events-aggregated"),
        );
        Address.onOpen("event", (number) => showEvent(Number(number)));
        list.addEventListener("keydown", onKey);
        list.addEventListener("scroll", draw);
        list.addEventListener("click", (event) => {
            const line = event.target.closest(".event");
            if (line) {
                Cursor.event.set(Number(line.dataset.event));
            }
        });
        Cursor.event.onChange((number) => {
            reveal(positionOf(number));
            draw();
        });
        Cursor.device.onChange(filter);
        Cursor.range.onChange(filter);
        filter();
        Dom.onNewWidth(list, draw);
    };

    return { show };
})();
