// The sliders of the first page: what a pipeline of three transforms makes of a photograph, at the key that is set.
globalThis.seedsafe.pipeline = ({ words, unit, uniform, integer }, size = 176) => {
  const CROP = 0xa483f57bn, FLIP = 0x4342903dn, TONES = 0xff4e22een; // the ops of the transforms' names
  const draw = (key, rows, columns) => {
    const crop = words(key, CROP), tones = words(key, TONES);
    return {
      top: integer(crop[1], rows - size + 1),
      left: integer(crop[2], columns - size + 1),
      flip: unit(words(key, FLIP)[0]) < 0.5,
      factor: 1 + uniform(tones[1], -0.3, 0.3),
      offset: uniform(tones[2], -0.2, 0.2),
    };
  };
  const apply = ({ data, width }, { top, left, flip, factor, offset }) => {
    const made = new ImageData(size, size);
    for (let y = 0, to = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const from = 4 * ((top + y) * width + left + (flip ? size - 1 - x : x));
        for (let c = 0; c < 3; c++) made.data[to++] = data[from + c] * factor + 255 * offset;
        made.data[to++] = 255;
      }
    }
    return made;
  };
  return { size, draw, apply };
};
(() => {
  const photo = globalThis.document?.querySelector(".sliders img");
  if (!photo || location.protocol === "file:") return; // a browser shows scripts no pixels of a file
  const place = photo.closest(".sliders").appendChild(document.createElement("div"));
  const { size, draw, apply } = globalThis.seedsafe.pipeline(globalThis.seedsafe);
  const slider = (name, most, value) => `<label>${name} <input type="range" name="${name}" min="0" max="${most}" value="${value}">
<output></output></label>`;
  place.innerHTML = `<div class="seen"><canvas class="before"></canvas><canvas class="after" width="${size}" height="${size}"></canvas></div>
<form>${slider("seed", 99, 42)}${slider("epoch", 19, 3)}${slider("index", 99, 7)}</form><pre></pre>`;
  const [before, after] = place.querySelectorAll("canvas");
  const controls = [...place.querySelectorAll("input")];
  const show = () => {
    const key = Object.fromEntries(controls.map((one) => [one.name, Number(one.value)]));
    for (const one of controls) one.nextElementSibling.textContent = one.value;
    [before.width, before.height] = [photo.naturalWidth, photo.naturalHeight];
    const drawing = before.getContext("2d", { willReadFrequently: true });
    drawing.drawImage(photo, 0, 0);
    const drawn = draw(key, before.height, before.width);
    after.getContext("2d").putImageData(apply(drawing.getImageData(0, 0, before.width, before.height), drawn), 0, 0);
    drawing.strokeStyle = "#00ff78";
    drawing.lineWidth = 2;
    drawing.strokeRect(drawn.left + 1, drawn.top + 1, size - 2, size - 2);
    place.querySelector("pre").textContent =
      `augment(photo, key=ss.SampleKey(seed=${key.seed}, epoch=${key.epoch}, index=${key.index}))\n` +
      `RandomCrop                top ${drawn.top}, left ${drawn.left}\n` +
      `HorizontalFlip            ${drawn.flip ? "yes" : "no"}\n` +
      `RandomBrightnessContrast  × ${drawn.factor.toFixed(4)}, ${drawn.offset < 0 ? "−" : "+"} ${Math.abs(drawn.offset).toFixed(4)}`;
    globalThis.seedsafe.drawn = { ...key, ...drawn };
  };
  place.addEventListener("input", show);
  const start = () => {
    photo.hidden = true;
    show();
  };
  photo.complete ? start() : photo.addEventListener("load", start);
})();
