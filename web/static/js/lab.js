/** The playtest lab: draws the charts that the server laid into the page, in the colours of the theme, gives
 * them out as pictures, and follows a simulation that runs in the background. */

/** How long until a running simulation is asked again how far it is, in ms. */
const AGAIN = 1000;
/** A picture's width in px, and how much finer than that a PNG is. */
const WIDE = 900;
const FINE = 2;

/** @type {any} */
const Plotly = /** @type {any} */ (globalThis).Plotly;
/** Night's colours -> the day's. @type {Record<string, string>} */
const palette = JSON.parse(document.getElementById("palette")?.textContent || "{}");
const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark")) === "dark";

/** The figure with the colours of the day where it is to be seen by day. @param {any} value @param {boolean} night @returns {any} */
function coloured(value, night) {
  if (typeof value === "string") return night ? value : palette[value] || value;
  if (Array.isArray(value)) return value.map((one) => coloured(one, night));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one, night)]));
  return value;
}

/** @type {Map<string, any>} */
const figures = new Map();
for (const node of document.querySelectorAll("script.figure")) {
  figures.set(/** @type {HTMLElement} */ (node).dataset.chart || "", JSON.parse(node.textContent || "{}"));
}

/** @param {HTMLElement} plot */
async function draw(plot) {
  const figure = coloured(figures.get(plot.dataset.chart || ""), dark());
  const narrow = plot.clientWidth < 480;
  const layout = { ...figure.layout, font: { ...figure.layout.font, size: narrow ? 12 : 15 } };
  await Plotly.react(plot, figure.data, layout, { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false });
  plot.dataset.drawn = "yes";
}

async function drawAll() {
  for (const plot of document.querySelectorAll(".plot")) await draw(/** @type {HTMLElement} */ (plot));
  document.body.dataset.ready = "yes";
}

/** The chart as a picture that stands for itself: question, answer and notes in it, ink on white. @param {HTMLElement} card @returns {Promise<string>} */
async function picture(card) {
  const plot = /** @type {HTMLElement} */ (card.querySelector(".plot"));
  const figure = coloured(figures.get(plot.dataset.chart || ""), false);
  const wrap = (/** @type {string} */ text, /** @type {number} */ most) => text.split(" ").reduce((lines, word) => {
    if ((lines[lines.length - 1] + word).length >= most) lines.push("");
    lines[lines.length - 1] += `${lines[lines.length - 1] ? " " : ""}${word}`;
    return lines;
  }, [""]);
  const say = (/** @type {string} */ selector) => [...card.querySelectorAll(selector)].map((one) => one.textContent?.trim() || "");
  // What stands left of the plot takes its room from the lines above and below it.
  const names = (figure.layout.yaxis.ticktext || ["00000"]).flatMap((/** @type {string} */ name) => name.split("<br>"));
  const room = WIDE - 60 - 8 * Math.max(...names.map((/** @type {string} */ name) => name.length));
  const above = wrap(say(".answer")[0], room / 8);
  const below = wrap(say(".chart-notes li").join(" · "), room / 6.5);
  const top = 62 + 22 * above.length + 40;
  const bottom = 116 + 18 * below.length;
  const line = { xref: "paper", yref: "paper", x: 0, xanchor: "left", showarrow: false, align: "left" };
  const layout = {
    ...figure.layout,
    paper_bgcolor: "#ffffff",
    height: figure.layout.height - 70 + top + bottom,
    width: WIDE,
    margin: { l: 30, r: 30, t: top, b: bottom },
    legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", yref: "paper" },
    annotations: [
      ...(figure.layout.annotations || []),
      // Bold by the font and not by <b>, which would come as a style attribute, and those are forbidden.
      { ...line, y: 1, yanchor: "bottom", yshift: 52 + 22 * above.length, font: { size: 19, weight: 700 }, text: say("h2")[0] },
      { ...line, y: 1, yanchor: "bottom", yshift: 44, text: above.join("<br>") },
      { ...line, y: 0, yanchor: "top", yshift: -96, font: { size: 12 }, text: below.join("<br>") },
    ],
  };
  return Plotly.toImage({ data: figure.data, layout }, { format: "svg", width: WIDE, height: layout.height });
}

/** @param {string} svg a data address @returns {Promise<Blob>} */
async function painted(svg) {
  const image = new Image();
  image.src = svg;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * FINE;
  canvas.height = image.naturalHeight * FINE;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
}

/** @param {HTMLElement} card @param {string} kind */
async function take(card, kind) {
  const svg = await picture(card);
  const text = decodeURIComponent(svg.slice(svg.indexOf(",") + 1));
  const blob = kind === "png" ? await painted(svg) : new Blob([text], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `crowntable-lab-${card.id.replace("chart-", "")}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Follows the simulation until it has ended; then the page is asked for anew. */
async function follow() {
  const bar = /** @type {HTMLProgressElement} */ (document.getElementById("run-bar"));
  const said = /** @type {HTMLElement} */ (document.getElementById("run-said"));
  try {
    const answer = await fetch("/lab/status");
    const state = await answer.json();
    if (!answer.ok || !state.running) return location.assign("/lab/runs");
    bar.max = state.whole || 1;
    bar.value = state.done;
    const seconds = state.done ? Math.round((state.seconds * (state.whole - state.done)) / state.done) : 0;
    const left = seconds ? ` ${(said.dataset.left || "").replace("{seconds}", String(seconds))}` : "";
    said.textContent = (said.dataset.text || "").replace("{done}", state.done).replace("{whole}", state.whole || "…") + left;
  } catch {
    // the table is away for a moment; it is asked again
  }
  setTimeout(follow, AGAIN);
}

if (Plotly && figures.size) {
  await drawAll();
  new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", drawAll);
  for (const button of document.querySelectorAll("button[data-export]")) {
    const one = /** @type {HTMLButtonElement} */ (button);
    one.hidden = false;
    one.onclick = () => take(/** @type {HTMLElement} */ (one.closest(".lab-card")), one.dataset.export || "svg");
  }
}
const choice = /** @type {HTMLFormElement|null} */ (document.getElementById("lab-choice"));
choice?.addEventListener("change", () => choice.requestSubmit());
if (document.getElementById("lab-run")?.dataset.running) setTimeout(follow, AGAIN);
document.body.dataset.ready = "yes";
