(() => {
  "use strict";
  const form = document.querySelector("form.filter");
  if (!form) return;
  const items = [...document.querySelectorAll("[data-verdict]")];
  const groups = [...document.querySelectorAll("[data-group]")];
  const shown = form.querySelector("output");
  const apply = () => {
    const wanted = Object.fromEntries(new FormData(form));
    const fits = (item) => Object.entries(wanted).every(([key, value]) => value === "" || item.dataset[key] === value);
    for (const item of items) item.hidden = !fits(item);
    for (const group of groups) group.hidden = !group.querySelector("[data-verdict]:not([hidden])");
    const all = items.filter((item) => item.localName === "article");
    const left = all.filter((item) => !item.hidden).length;
    shown.textContent = left === all.length ? "" : `${left} of ${all.length} findings shown`;
  };
  // A link to something that the filter hides shows it.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) { form.reset(); apply(); }
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };
  form.hidden = false;
  form.addEventListener("change", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", reveal);
  apply();
  reveal();
})();
