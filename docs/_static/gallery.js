// The filters of the gallery: each control names a class that a card must have; a name may be another library's. Without this script all cards are shown.
(() => {
  const form = document.getElementById("gallery-filters");
  if (!form) return;
  const cards = [...document.querySelectorAll(".cards .card")];
  const controls = [...form.querySelectorAll("[name]")];
  const elsewhere = JSON.parse(document.getElementById("gallery-names").textContent);
  const names = cards.map((card) => {
    const name = card.querySelector("code").textContent;
    return [name, ...(elsewhere[name] ?? [])].map((one) => one.toLowerCase());
  });
  const given = new URLSearchParams(location.hash.slice(1));
  for (const one of controls) one.value = given.get(one.name) ?? "";
  const filter = () => {
    const [name, ...classes] = controls.map((one) => one.value);
    for (const [index, card] of cards.entries()) {
      const called = names[index].some((one) => one.includes(name.trim().toLowerCase()));
      card.hidden = !called || classes.some((one) => one && !card.classList.contains(one));
    }
    for (const family of document.querySelectorAll(".family")) family.hidden = !family.querySelector(".card:not([hidden])");
    const shown = cards.filter((card) => !card.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${cards.length} transforms`;
  };
  form.addEventListener("input", () => {
    filter();
    const chosen = new URLSearchParams(controls.filter((one) => one.value).map((one) => [one.name, one.value]));
    history.replaceState(null, "", chosen.size ? `#${chosen}` : location.pathname);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
