"use strict";

/** Listens to pointer, wheel and keys over the lifetime map, with the keys and the wheel of Perfetto. */
const MapInput = (() => {
    const CLICK = 3;

    const isText = (element) => element.closest("input, select, textarea") !== null;

    const listen = (canvas, map) => {
        let dragged;
        let pointer;

        const middle = () => {
            const { from, to, cursor } = map.view();
            return pointer ? map.at(pointer).value : cursor >= from && cursor <= to ? cursor : (from + to) / 2;
        };

        const pan = (share) => {
            const { from, to } = map.view();
            map.move(from + (to - from) * share);
        };

        const everywhere = {
            w: () => map.zoom(1 / 1.4, middle()),
            s: () => map.zoom(1.4, middle()),
            a: () => pan(-1 / 8),
            d: () => pan(1 / 8),
        };
        const focused = {
            "+": () => map.zoom(1 / 1.6, middle()),
            "=": () => map.zoom(1 / 1.6, middle()),
            "-": () => map.zoom(1.6, middle()),
            "0": map.all,
            ArrowLeft: everywhere.a,
            ArrowRight: everywhere.d,
            ArrowUp: () => map.step(-1),
            ArrowDown: () => map.step(1),
            Enter: map.open,
            Escape: map.close,
        };

        // W, A, S and D need no click before them: the pointer is over the map.
        addEventListener("keydown", (event) => {
            const isFocused = document.activeElement === canvas;
            const action = (isFocused && focused[event.key]) || ((isFocused || pointer) && everywhere[event.key.toLowerCase()]);
            if (action && !map.isWaiting() && !isText(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
                event.preventDefault();
                Tooltip.hide();
                action();
            }
        });
        // A page that is scrolled past the map shall scroll on: the wheel zooms with Ctrl, or once the map has the focus.
        canvas.addEventListener(
            "wheel",
            (event) => {
                const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
                if (event.ctrlKey || (document.activeElement === canvas && !event.shiftKey && event.deltaY !== 0)) {
                    event.preventDefault();
                    map.zoom(event.deltaY > 0 ? 1.25 : 0.8, map.at(event).value);
                } else if (sideways !== 0) {
                    event.preventDefault();
                    pan(Math.sign(sideways) / 10);
                }
            },
            { passive: false },
        );
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button === 0) {
                dragged = { x: event.clientX, from: map.view().from, value: map.at(event).value, isPan: event.shiftKey || event.pointerType === "touch", isMoved: false };
                canvas.setPointerCapture(event.pointerId);
            }
        });
        canvas.addEventListener("pointermove", (event) => {
            pointer = event;
            if (!dragged) {
                map.hover(event);
                return;
            }
            dragged.isMoved ||= Math.abs(event.clientX - dragged.x) > CLICK;
            if (dragged.isMoved) {
                Tooltip.hide();
                const { from, to, width } = map.view();
                if (dragged.isPan) {
                    map.move(dragged.from - ((event.clientX - dragged.x) * (to - from)) / width);
                } else {
                    map.brush([dragged.value, map.at(event).value].sort((one, other) => one - other));
                }
            }
        });
        canvas.addEventListener("pointerup", (event) => {
            const ended = dragged;
            dragged = undefined;
            if (ended && !ended.isMoved) {
                canvas.focus({ preventScroll: true });
                map.click(map.at(event));
            } else if (ended && !ended.isPan) {
                map.endBrush();
            }
        });
        canvas.addEventListener("pointercancel", () => {
            dragged = undefined;
        });
        canvas.addEventListener("pointerleave", () => {
            pointer = undefined;
            Tooltip.hide();
        });
        canvas.addEventListener("dblclick", (event) => map.zoom(0.4, map.at(event).value));
    };

    return { listen };
})();
