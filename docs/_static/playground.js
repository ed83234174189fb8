// The playground: its controls, its address, and Pyodide, which is loaded on a click from the place that the site names.
(() => {
  const place = document.getElementById("playground-here");
  if (!place) return;
  const site = JSON.parse(document.getElementById("playground-data").textContent);
  const root = new URL(document.documentElement.dataset.content_root ?? "./", location.href);
  const EXAMPLE = `ss.Compose([
    ss.RandomCrop(180),
    ss.HorizontalFlip(),
    ss.CoarseDropout(count=(1, 4), height=(20, 50), width=(20, 50)),
])`;
  const KEYS = { seed: 42, epoch: 3, index: 7, view: 0 };
  const numbers = Object.entries(KEYS).map(([name, value]) =>
    `<label>${name} <input type="number" name="${name}" value="${value}" min="0" step="1" required></label>`);
  place.innerHTML = `<form><label>pipeline <textarea name="pipeline" rows="6" spellcheck="false" autocapitalize="off"></textarea></label>
<div class="keys">${numbers.join("")}</div>
<button type="button"></button> <span role="status"></span></form>
<div class="seen"><canvas class="before"></canvas><canvas class="after"></canvas></div>
<pre class="params"></pre><p>The same sample on your machine:</p><pre class="code"></pre>`;
  const [form, button, status] = ["form", "button", "[role=status]"].map((one) => place.querySelector(one));
  const [before, after] = place.querySelectorAll("canvas");
  const fields = [...form.elements].filter((one) => one.name);
  const photo = Object.assign(new Image(), { src: new URL("_static/photograph.jpg", root) });
  let show = null;

  const given = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const one of fields) one.value = asked.get(one.name) ?? KEYS[one.name] ?? EXAMPLE;
  };
  const values = () => Object.fromEntries(fields.map((one) => [one.name, one.value]));
  const mark = (canvas, boxes, keypoints) => {
    const drawing = canvas.getContext("2d");
    drawing.strokeStyle = "#00ff78";
    drawing.fillStyle = "#00dcff";
    for (const [x0, y0, x1, y1] of boxes) drawing.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1);
    for (const [x, y] of keypoints) drawing.fillRect(x - 2, y - 2, 5, 5);
  };
  const run = () => {
    const { pipeline, seed, epoch, index, view } = values();
    const text = pipeline.trim();
    const lines = text.split("\n");
    const last = lines.findLastIndex((line) => /^[A-Za-z_]/.test(line));
    if (last >= 0 && !/^augment\s*=/.test(lines[last])) lines[last] = `augment = ${lines[last]}`;
    place.querySelector(".code").textContent = "import seedsafe as ss\n\n" +
      (text.startsWith("{") ? `augment = ss.Compose.from_json('''${text}''')` : lines.join("\n")) + "\n" +
      `augment(sample, key=ss.SampleKey(${seed}, ${epoch}, ${index}${view === "0" ? "" : `, view=${view}`}))`;
    if (![seed, epoch, index, view].every((one) => /^\d+$/.test(one))) return (status.textContent = "seed, epoch, index and view are whole numbers, 0 or more");
    if (!show) return;
    const drawing = before.getContext("2d", { willReadFrequently: true });
    drawing.drawImage(photo, 0, 0);
    const { data, width, height } = drawing.getImageData(0, 0, before.width, before.height);
    const started = performance.now();
    const made = show(pipeline, [seed, epoch, index, view], data, height, width);
    status.textContent = made.error ?? `${(performance.now() - started).toFixed(0)} ms`;
    status.className = made.error ? "error" : "";
    if (made.error) return;
    [after.width, after.height] = [made.width, made.height];
    after.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(made.pixels), made.width), 0, 0);
    mark(after, made.boxes, made.keypoints);
    place.querySelector(".params").textContent = made.params.join("\n");
    after.dataset.made = "";
  };
  const load = async () => {
    button.disabled = true;
    const base = new URL(site.pyodide, root).href;
    const say = (text) => (status.textContent = text);
    try {
      say("loading Pyodide …");
      // Each file is fetched once with its hash, so that the browser refuses another; Pyodide then finds it in the cache.
      await Promise.all(Object.entries(site.files).map(async ([name, integrity]) => {
        const answer = await fetch(base + name, { integrity }).catch(() => null);
        if (!answer?.ok) throw new Error(`${base + name} is not there, or is another file than Pyodide ${site.version}'s`);
        await answer.arrayBuffer();
      }));
      const { loadPyodide } = await import(base + "pyodide.mjs");
      const python = await loadPyodide({ indexURL: base, packageBaseUrl: base });
      await python.loadPackage("numpy");
      say("loading seedsafe …");
      python.unpackArchive(await (await fetch(new URL(site.wheel, root))).arrayBuffer(), "wheel");
      python.runPython(await (await fetch(new URL("_static/playground.py", root))).text());
      const called = python.globals.get("show");
      show = (text, key, ...photograph) => {
        const made = called(text, ...key, ...photograph);
        const plain = made.toJs({ dict_converter: Object.fromEntries });
        made.destroy();
        return plain;
      };
      globalThis.seedsafe.python = python;
      button.hidden = true;
      run();
    } catch (error) {
      status.className = "error";
      say(error.message);
      button.disabled = false;
    }
  };

  button.textContent = "Run it here (loads 10 MB)";
  const isFile = location.protocol === "file:";
  button.hidden = !site.pyodide || isFile;
  if (isFile) status.textContent = "A browser runs nothing from a file; see below.";
  if (!site.pyodide) status.textContent = "This site does not say where Pyodide is, so nothing runs here; see below.";
  button.addEventListener("click", load);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    history.replaceState(null, "", `#${new URLSearchParams(values())}`);
    run();
  });
  addEventListener("hashchange", () => {
    given();
    run();
  });
  photo.addEventListener("load", () => {
    [before.width, before.height] = [photo.naturalWidth, photo.naturalHeight];
    before.getContext("2d").drawImage(photo, 0, 0);
    run();
  });
  given();
  run();
})();
