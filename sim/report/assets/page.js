// Draws every figure again with uPlot, over the SVG that is there without a script and in print: drag to zoom, double
// click or Escape for all of it; the values under the cursor are in the legend; the arrow keys move the cursor. Colours
// come from the style sheet, so a change of theme draws anew.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const fills = ["#3a6ea5", "#7cc7e8", "#c8321f", "#f0a03c", "#8c3b7f", "#d9cf6a", "#a7adb5", "#2e8b57"];
  const bands = ["#a9c8e8", "#7cc7e8", "#f0a03c", "#d9cf6a", "#ef7d6b"];
  const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];
  const font = '13px system-ui, "DejaVu Sans", sans-serif';
  const bandHeight = 20;
  const whole = (v) => (v == null ? "-" : v.toLocaleString("en-US", { maximumFractionDigits: v < 100 ? 2 : 0 }));
  const short = (v) => (v >= 1e6 ? v / 1e6 + "M" : v >= 1e4 ? v / 1e3 + "k" : whole(v));

  const axes = (chart) => {
    const common = { stroke: colour("--soft"), font, labelFont: font, labelGap: 2, ticks: { stroke: colour("--line"), width: 1 } };
    return [
      { ...common, label: chart.x, grid: { show: false }, size: 34, labelSize: 20 },
      { ...common, label: chart.y, grid: { stroke: colour("--grid"), width: 1 }, size: 64, labelSize: 22,
        values: (u, ticks) => ticks.map(short) },
    ];
  };

  // Intervals of a line, as on the SVG.
  const intervals = (chart, xs, curves) => (u) => {
    const dpr = devicePixelRatio;
    const ctx = u.ctx;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top - 6 * dpr, u.bbox.width + 6 * dpr, u.bbox.height + 12 * dpr);
    ctx.clip();
    ctx.lineWidth = 1.5 * dpr;
    curves.forEach((curve, n) => {
      if (!u.series[1 + n].show) return;
      ctx.strokeStyle = colour("--s" + (n % 8));
      ctx.beginPath();
      for (const p of curve.points) {
        const x = u.valToPos(p.x, "x", true);
        const low = u.valToPos(p.low, "y", true);
        const high = u.valToPos(p.high, "y", true);
        ctx.moveTo(x, low);
        ctx.lineTo(x, high);
        for (const y of [low, high]) {
          ctx.moveTo(x - 3.5 * dpr, y);
          ctx.lineTo(x + 3.5 * dpr, y);
        }
      }
      ctx.stroke();
    });
    ctx.restore();
  };

  // The regime of every point in a row per curve below the axis.
  const regimes = (chart) => (u) => {
    const dpr = devicePixelRatio;
    const ctx = u.ctx;
    ctx.save();
    ctx.font = `${12 * dpr}px system-ui, "DejaVu Sans", sans-serif`;
    ctx.textBaseline = "middle";
    const right = u.bbox.left + u.bbox.width;
    let y = u.bbox.top + u.bbox.height + 62 * dpr;
    ctx.fillStyle = colour("--soft");
    ctx.textAlign = "right";
    ctx.fillText("regime", u.bbox.left - 8 * dpr, y + 9 * dpr);
    chart.curves.forEach((curve, n) => {
      const p = curve.points;
      for (let i = 0; i < p.length; ) {
        let end = i + 1;
        while (end < p.length && p[end].regime === p[i].regime) ++end;
        const at = (a) => u.valToPos((p[a - 1].x + p[a].x) / 2, "x", true);
        const x0 = Math.min(right, Math.max(u.bbox.left, i === 0 ? u.bbox.left : at(i)));
        const x1 = Math.max(x0, Math.min(right, end === p.length ? right : at(end)));
        ctx.fillStyle = bands[p[i].regime];
        ctx.fillRect(x0, y, x1 - x0, (bandHeight - 2) * dpr);
        const full = chart.regimes[p[i].regime];
        const fits = (text) => ctx.measureText(text).width < x1 - x0 - 4 * dpr;
        const name = fits(full) ? full : full.split("-")[0];
        if (fits(name)) {
          ctx.fillStyle = "#1b1f24";
          ctx.textAlign = "center";
          ctx.fillText(name, (x0 + x1) / 2, y + 9 * dpr);
        }
        i = end;
      }
      ctx.fillStyle = colour("--s" + (n % 8));
      ctx.textAlign = "left";
      ctx.fillText(curve.name, right + 8 * dpr, y + 9 * dpr);
      y += bandHeight * dpr;
    });
    ctx.restore();
  };

  const throughput = (chart, size) => {
    const xs = [...new Set(chart.curves.flatMap((c) => c.points.map((p) => p.x)))].sort((a, b) => a - b);
    const column = (curve, key) => xs.map((x) => curve.points.find((p) => p.x === x)?.[key] ?? null);
    const has = (curve) => curve.points.some((p) => p.measured != null);
    const hasRegimes = chart.curves[0].points[0].regime != null;
    const measured = chart.curves.map((curve, n) => [curve, n]).filter(([curve]) => has(curve));
    const line = (curve, n) => ({
      label: curve.name, stroke: colour("--s" + (n % 8)), width: 2, dash: dashes[n % 4], spanGaps: true,
      points: { show: true, size: 8, fill: colour("--s" + (n % 8)) }, value: (u, v) => whole(v),
    });
    const rings = ([curve, n]) => ({
      label: curve.name + " measured", stroke: colour("--s" + (n % 8)), width: 0, paths: () => null,
      points: { show: true, size: 9, width: 2, fill: colour("--bg"), stroke: colour("--s" + (n % 8)) },
      value: (u, v) => whole(v),
    });
    const top = Math.max(...chart.curves.flatMap((c) => c.points.map((p) => Math.max(p.high, p.measured ?? 0))));
    return {
      data: [xs, ...chart.curves.map((c) => column(c, "tps")), ...measured.map(([c]) => column(c, "measured"))],
      options: {
        ...size, height: 380 + (hasRegimes ? 12 + bandHeight * chart.curves.length : 0),
        padding: [10, hasRegimes ? 110 : 20, hasRegimes ? 12 + bandHeight * chart.curves.length : 4, 0],
        scales: { x: { time: false, range: (u, a, b) => (b - a >= xs.at(-1) - xs[0] ? [0, xs.at(-1) * 1.02] : [a, b]) },
                  y: { range: () => [0, top * 1.05] } },
        axes: axes(chart), legend: { markers: { width: 3 } },
        series: [{ label: chart.x }, ...chart.curves.map(line), ...measured.map(rings)],
        hooks: { draw: [intervals(chart, xs, chart.curves), ...(hasRegimes ? [regimes(chart)] : [])] },
      },
    };
  };

  // The highest sum first: each area covers the foot of the one before.
  const stack = (chart, size) => {
    const unit = Math.max(...chart.points.map((p) => p.us.reduce((a, b) => a + b))) >= 1e4 ? 1e-3 : 1;
    const used = chart.parts.map((_, i) => i).filter((i) => chart.points.some((p) => p.us[i] > 0)).reverse();
    const sum = (p, i) => p.us.slice(0, i + 1).reduce((a, b) => a + b) * unit;
    const own = (i) => (u, v, s, at) => (at == null ? "-" : whole(chart.points[at].us[i] * unit));
    const bars = chart.points.length === 1 ? { paths: uPlot.paths.bars({ size: [0.2, 60] }) } : {};
    return {
      data: [chart.points.map((p) => p.x), ...used.map((i) => chart.points.map((p) => sum(p, i)))],
      options: {
        ...size, height: 340, padding: [10, 16, 4, 0],
        scales: { x: { time: false }, y: { range: (u, a, b) => [0, b * 1.02] } },
        axes: axes({ ...chart, y: unit === 1 ? "us per transaction" : "ms per transaction" }),
        series: [{ label: chart.x }, ...used.map((i) => ({
          label: chart.parts[i], stroke: colour("--bg"), width: 1, fill: fills[i], points: { show: false },
          value: own(i), ...bars }))],
        legend: { markers: { fill: (u, s) => fills[used[s - 1]], stroke: () => "transparent" } },
      },
    };
  };

  const plots = [];
  const draw = (figure) => {
    const chart = charts[+figure.dataset.chart];
    const box = figure.querySelector(".drawn");
    box.textContent = "";
    const { data, options } = (chart.kind === "stack" ? stack : throughput)(chart, { width: box.clientWidth });
    const plot = new uPlot(options, data, box);
    plot.root.querySelector(".u-legend").setAttribute("aria-live", "polite");
    for (const label of plot.root.querySelectorAll(".u-legend .u-series:not(:first-child) th")) {
      label.tabIndex = 0;
      label.title = "show or hide";
      label.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); label.click(); }
      });
    }
    const canvas = plot.root.querySelector(".u-wrap");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "group");
    canvas.setAttribute("aria-label", figure.querySelector("svg").getAttribute("aria-label") +
      "; arrow keys: values in the legend; all values are in the table below");
    let at = -1;
    canvas.addEventListener("keydown", (e) => {
      if (e.key === "Escape") plot.setData(data);
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      e.preventDefault();
      at = Math.min(data[0].length - 1, Math.max(0, at + step));
      plot.setCursor({ left: plot.valToPos(data[0][at], "x"), top: 10 });
    });
    return plot;
  };

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  for (const figure of figures) {
    const box = document.createElement("div");
    box.className = "drawn";
    figure.append(box);
  }
  document.documentElement.classList.add("js");
  const redraw = () => {
    for (const plot of plots.splice(0)) plot.destroy();
    for (const figure of figures) plots.push(draw(figure));
  };
  try {
    redraw();
  } catch (error) {
    document.documentElement.classList.remove("js");  // the SVGs are still there
    throw error;
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(redraw, 150);
  });
})();
