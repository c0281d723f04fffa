// Shows times in the reader's own zone, slides the map through the turns, numbers the lines of orders, and moves their map. Every page works
// without it.
"use strict";
(() => {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    const form = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
    time.title = time.textContent;
    time.textContent = at.toLocaleString([], form) + (time.closest(".due, .head") ? " (your time)" : "");
  }
  const turn = document.getElementById("turn");
  const picture = document.getElementById("picture");
  if (turn && picture) {
    let wanted = 0;
    turn.addEventListener("input", () => {
      document.getElementById("shown").textContent = turn.value;
      clearTimeout(wanted);
      wanted = setTimeout(() => { picture.src = turn.dataset.picture.replace(/turn=\d+/, `turn=${turn.value}`); }, 150);
    });
  }
  if (document.querySelector("[data-wait]")) setTimeout(() => location.reload(), 2000);
  const text = () => document.getElementById("text");
  const gutter = document.getElementById("gutter");
  if (!gutter || !text()) return;

  // ---- orders: the server makes every part of the page; htmx puts it in its place

  const number = () => {
    const back = document.getElementById("back");
    const count = text().value.split("\n").length;
    const bad = new Set([...back.querySelectorAll("[data-bad]")].map((e) => Number(e.dataset.bad)));
    const warn = new Set([...back.querySelectorAll("[data-warn]")].map((e) => Number(e.dataset.warn)));
    gutter.replaceChildren(...Array.from({ length: count }, (_, i) => {
      const line = document.createElement("li");
      line.textContent = String(i + 1);
      if (bad.has(i + 1)) line.className = "e";
      else if (warn.has(i + 1)) line.className = "w";
      return line;
    }));
    gutter.scrollTop = text().scrollTop;
  };
  document.addEventListener("input", (event) => {
    if (event.target !== text()) return;
    number();
    // What the button says is of an older text until the answer has come.
    for (const button of document.querySelectorAll("#foot button[name]")) button.disabled = true;
  });
  document.addEventListener("scroll", (event) => { if (event.target === text()) gutter.scrollTop = text().scrollTop; }, true);
  document.addEventListener("htmx:oobAfterSwap", number);
  document.addEventListener("htmx:afterRequest", () => {
    for (const button of document.querySelectorAll("#foot button[name]")) button.disabled = false;
  });
  number();
  if (typeof htmx === "undefined") return;

  // Places and phases are links; with a script only the panel is loaded, and the map stays as it is.
  const show = async (address) => {
    const asked = new URL(address, location.href);
    history.replaceState(null, "", asked);
    asked.searchParams.set("live", "1");
    await htmx.ajax("GET", asked.pathname + asked.search, { target: "#panel", swap: "none" });
    const chosen = document.getElementById("chosen");
    if (!chosen) return;
    chosen.focus({ preventScroll: true });
    chosen.scrollIntoView({ block: "nearest" });
  };
  let moved = false;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const address = link && link.getAttribute("href");
    if (!address || !/^\?(place|phase)=/.test(address) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!moved) show(address);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form.pick")) return;
    event.preventDefault();
    show(`?place=${encodeURIComponent(event.target.elements.place.value)}`);
  });

  // The map is moved and enlarged by pointer, wheel, buttons and keys.
  const ground = document.getElementById("ground");
  const frame = document.getElementById("frame");
  if (typeof Panzoom === "undefined" || !ground || !frame) return;
  const held = Panzoom(ground, { maxScale: 12, minScale: 1, contain: "outside", touchAction: "pan-y", step: 0.4, animate: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  frame.addEventListener("wheel", (event) => { if (event.ctrlKey || held.getScale() > 1 || event.deltaY < 0) held.zoomWithWheel(event); }, { passive: false });
  let at = null;
  frame.addEventListener("pointerdown", (event) => { at = [event.clientX, event.clientY]; moved = false; }, true);
  addEventListener("pointermove", (event) => { if (at && Math.hypot(event.clientX - at[0], event.clientY - at[1]) > 5) moved = true; }, true);
  addEventListener("pointerup", () => { at = null; setTimeout(() => { moved = false; }, 50); }, true);
  const zoom = { in: () => held.zoomIn(), out: () => held.zoomOut(), reset: () => held.reset() };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoom[button.dataset.zoom]());
  document.querySelector(".zoomers").hidden = false;
  const keys = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (keys[event.key]) held.pan(keys[event.key][0] / held.getScale(), keys[event.key][1] / held.getScale(), { relative: true });
    else if (event.key === "+" || event.key === "=") zoom.in();
    else if (event.key === "-") zoom.out();
    else if (event.key === "0") zoom.reset();
    else return;
    event.preventDefault();
  });
})();
