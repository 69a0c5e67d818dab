"use strict";
(() => {
  const box = document.querySelector("#search");
  if (box) box.closest(".search").hidden = false;
  const found = document.querySelector("#found");
  const named = [...document.querySelectorAll("[data-name]")];
  const jobs = document.querySelectorAll(".toc [data-name]").length;
  box?.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const one of named) one.hidden = !words.every((word) => one.dataset.name.toLowerCase().includes(word));
    const shown = document.querySelectorAll(".toc [data-name]:not([hidden])").length;
    found.textContent = words.length ? `${shown} of ${jobs}` : "";
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open], .evidence, .each)")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
})();
