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
  const zone = document.querySelector("input[name=zone][data-own]");
  if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  if (document.querySelector("[data-wait]")) setTimeout(() => location.reload(), 2000);
  const text = () => document.getElementById("text");
  const gutter = document.getElementById("gutter");
  if (!gutter || !text()) return;

  // ---- orders: the server makes every part of the page; htmx puts it in its place

  // Long lines are wrapped: how tall each is, as measured in a copy of the box that nobody sees.
  const tall = (lines) => {
    const copy = document.createElement("div");
    const style = getComputedStyle(text());
    for (const key of ["font", "letterSpacing", "whiteSpace", "overflowWrap", "tabSize"]) copy.style[key] = style[key];
    copy.style.width = `${text().clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)}px`;
    copy.className = "copy";
    copy.append(...lines.map((line) => Object.assign(document.createElement("div"), { textContent: line || " " })));
    document.body.append(copy);
    const heights = Array.from(copy.children, (line) => line.getBoundingClientRect().height);
    copy.remove();
    return heights;
  };
  const number = () => {
    const back = document.getElementById("back");
    const count = text().value.split("\n").length;
    const bad = new Set([...back.querySelectorAll("[data-bad]")].map((e) => Number(e.dataset.bad)));
    const warn = new Set([...back.querySelectorAll("[data-warn]")].map((e) => Number(e.dataset.warn)));
    const heights = tall(text().value.split("\n"));
    gutter.replaceChildren(...Array.from({ length: count }, (_, i) => {
      const line = document.createElement("li");
      line.textContent = String(i + 1);
      line.style.height = `${heights[i]}px`;
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
  addEventListener("resize", number);
  // What could not be read back is said beside the button that sends, and the button waits until it was.
  const unread = document.getElementById("unread");
  document.addEventListener("htmx:afterRequest", (event) => {
    const { xhr, successful } = event.detail;
    unread.hidden = successful;
    if (successful) {
      for (const button of document.querySelectorAll("#foot button[name]")) button.disabled = false;
      return;
    }
    const page = new DOMParser().parseFromString(xhr.responseText || "", "text/html");
    const why = page.querySelector("[role=alert]")?.textContent.trim() || "The server cannot be reached.";
    unread.textContent = `✗ Not read back. ${why.replace(/^✗ /, "")} What you typed is still in the box.`;
  });
  number();
  if (typeof htmx === "undefined") return;

  // While an order is being added, the panel is about to change and the text with it: a click that comes meanwhile waits, and counts
  // if what was clicked is still there. Otherwise the second order would be added to the text without the first.
  let adding = 0;
  let later = null;
  const adds = (event) => /\/orders\/add$/.test(event.detail.requestConfig?.path ?? "");
  document.addEventListener("htmx:beforeSend", (event) => { if (adds(event)) adding += 1; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!adds(event)) return;
    adding = Math.max(0, adding - 1);
    const next = later;
    later = null;
    if (!adding && next) next();
  });
  document.addEventListener("click", (event) => {
    const clicked = adding && event.target.closest("a[href^='?'], .what button, #foot button");
    if (!clicked) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    later = () => {
      const now = clicked.isConnected ? clicked : document.getElementById(clicked.id);
      if (now && now.textContent === clicked.textContent) now.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    };
  }, true);

  // Places and phases are links; with a script only the panel is loaded, and the map stays as it is.
  let around = () => {};
  const show = async (address, onMap) => {
    const asked = new URL(address, location.href);
    history.replaceState(null, "", asked);
    asked.searchParams.set("live", "1");
    await htmx.ajax("GET", asked.pathname + asked.search, { target: "#panel", swap: "none" });
    const chosen = document.getElementById("chosen");
    if (!chosen) return;
    chosen.focus({ preventScroll: true });
    chosen.scrollIntoView({ block: "nearest" });
    if (!onMap) around();
  };
  let moved = false;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const address = link && link.getAttribute("href");
    if (!address || !/^\?(place|phase)=/.test(address) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!moved) show(address, Boolean(link.closest("#frame")));
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
  ground.addEventListener("panzoomchange", (event) => frame.style.setProperty("--larger", event.detail.scale));
  frame.addEventListener("wheel", (event) => { if (event.ctrlKey || held.getScale() > 1 || event.deltaY < 0) held.zoomWithWheel(event); }, { passive: false });
  let at = null;
  frame.addEventListener("pointerdown", (event) => { at = [event.clientX, event.clientY]; moved = false; }, true);
  addEventListener("pointermove", (event) => { if (at && Math.hypot(event.clientX - at[0], event.clientY - at[1]) > 5) moved = true; }, true);
  addEventListener("pointerup", () => { at = null; setTimeout(() => { moved = false; }, 50); }, true);
  // A place that was chosen beside the map is brought into view, with what is next to it.
  around = () => {
    const parts = ground.querySelectorAll(".near, .chosen");
    if (!parts.length) return;
    held.reset({ animate: false });
    const box = () => {
      const all = Array.from(parts, (part) => part.getBoundingClientRect());
      const left = Math.min(...all.map((r) => r.left)), right = Math.max(...all.map((r) => r.right));
      const top = Math.min(...all.map((r) => r.top)), bottom = Math.max(...all.map((r) => r.bottom));
      return { width: right - left, height: bottom - top, x: (left + right) / 2, y: (top + bottom) / 2 };
    };
    const whole = frame.getBoundingClientRect(), first = box();
    const scale = Math.min(6, 0.8 * Math.min(whole.width / first.width, whole.height / first.height));
    if (scale <= 1.2) return;
    held.zoom(scale, { animate: false });
    requestAnimationFrame(() => {
      const now = box();
      held.pan((whole.left + whole.width / 2 - now.x) / scale, (whole.top + whole.height / 2 - now.y) / scale, { relative: true, animate: false });
    });
  };
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
