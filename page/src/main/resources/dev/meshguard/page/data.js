"use strict";

/** The figures that stand inside the page. Nothing is fetched: what is compressed is unpacked here. */
const PageData = (() => {
    const decode = (base64) => Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));

    const unpack = async (base64) => {
        if (typeof DecompressionStream === "undefined") {
            throw new Error("This browser cannot unpack the figures of the page: it knows no DecompressionStream. Open the page in a newer one.");
        }
        const unpacked = new Blob([decode(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Response(unpacked).text();
    };

    const read = async () => {
        const plain = document.getElementById("data");
        const text = plain ? plain.textContent : await unpack(document.getElementById("data-gzip").textContent);
        return JSON.parse(text);
    };

    return { read };
})();
