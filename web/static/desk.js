// Makes the read-back live, slides the map through the turns, shows times in the reader's own zone, and numbers the lines. Every page works without it.
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
  const form = document.getElementById("orders");
  const text = form && form.querySelector("textarea");
  const back = document.getElementById("back");
  if (!text || !back) return;

  const gutter = document.getElementById("gutter");
  const number = () => {
    const count = text.value.split("\n").length;
    const bad = new Set([...back.querySelectorAll("[data-bad]")].map((e) => Number(e.dataset.bad)));
    const warn = new Set([...back.querySelectorAll("[data-warn]")].map((e) => Number(e.dataset.warn)));
    gutter.replaceChildren(...Array.from({ length: count }, (_, i) => {
      const line = document.createElement("li");
      line.textContent = String(i + 1);
      if (bad.has(i + 1)) line.className = "e";
      else if (warn.has(i + 1)) line.className = "w";
      return line;
    }));
    gutter.scrollTop = text.scrollTop;
  };

  // What the button says is of an older text until the answer has come.
  const hold = (held) => {
    for (const button of document.querySelectorAll("#foot button[name]")) button.disabled = held;
  };

  // Odds are asked for when nothing has been typed for a moment; the read-back does not wait for them.
  const more = () => {
    const button = back.querySelector("button[data-odds]");
    if (button) timer = setTimeout(() => ask(undefined, button.formAction), 600);
  };

  let timer = 0;
  let asked = 0;
  const ask = async (mean, odds) => {
    const mine = ++asked;
    const data = new FormData(form);
    data.delete("file");
    data.set("live", "1");
    if (typeof mean === "string") data.set("mean", mean);
    if (!odds) {
      back.classList.add("stale");
      back.setAttribute("aria-busy", "true");
    }
    try {
      const answer = await fetch(odds || form.dataset.check, { method: "POST", body: data, credentials: "same-origin" });
      if (mine !== asked || !answer.ok) return;
      back.innerHTML = await answer.text();
      const foot = back.querySelector("template");
      const here = document.getElementById("foot");
      if (foot && here) here.replaceChildren(foot.content.cloneNode(true));
      number();
      if (!odds) more();
    } catch {
      // The button works without us.
    } finally {
      if (mine === asked) {
        hold(false);
        back.classList.remove("stale");
        back.removeAttribute("aria-busy");
      }
    }
  };
  text.addEventListener("input", () => {
    number();
    hold(true);
    clearTimeout(timer);
    timer = setTimeout(() => ask(), 350);
  });
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });
  back.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=mend], button[name=mean]");
    if (!button) return;
    event.preventDefault();
    if (button.name === "mean") {
      hold(true);
      ask(button.value);
      return;
    }
    clearTimeout(timer);
    const [, at, instead] = /^(\d+):([^]*)$/.exec(button.value);
    const lines = text.value.split("\n");
    lines.splice(Number(at) - 1, 1, ...(instead ? instead.split("\n") : []));
    text.value = lines.join("\n");
    number();
    hold(true);
    ask();
  });
  number();
  more();
})();
