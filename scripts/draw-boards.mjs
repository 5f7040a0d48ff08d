/*
 * Draws the Grafana boards of k8s/components/monitoring to docs/images/board-*.png, with the data of a
 * Prometheus: their queries, units, thresholds and layout. Start a demonstration and
 * scripts/demo-traffic.mjs, let a Prometheus (Debian has one) scrape it for some minutes with the label
 * namespace="ad-server", then: node scripts/draw-boards.mjs http://localhost:9090 [minutes]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [prometheus = 'http://localhost:9090', minutes = '10'] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BOARDS = path.join(ROOT, 'k8s/components/monitoring/dashboards');
const uplot = (file) => readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${file}`), 'utf8');
const to = Math.floor(Date.now() / 1_000);
const from = to - Number(minutes) * 60;
const STEP_S = 5;

/** The series of a query: `{name, points: [time, value][]}`, of those that Grafana would show. */
const read = async ({ expr, legendFormat }) => {
  const query = expr.replaceAll('$namespace', 'ad-server').replaceAll('$__rate_interval', '30s');
  const address = `${prometheus}/api/v1/query_range?${new URLSearchParams({ query, start: from, end: to, step: STEP_S })}`;
  const { status, error, data } = await (await fetch(address)).json();
  if (status !== 'success') throw new Error(`${query}: ${error}`);
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? ''),
    points: values.map(([time, value]) => [time, Number(value)]),
  }));
};

const highestOf = ({ points }) => Math.max(0, ...points.map(([, value]) => value).filter(Number.isFinite));

/** Runs in the page. */
const draw = ({ title, panels, times }) => {
  const COLORS = ['#3274d9', '#e8833a', '#37a862', '#8f5fbf', '#c9a227', '#3aa7a3', '#d1578a', '#7d8794'];
  const RED = '#c4162a';
  const CELL = { width: 50, height: 30 };
  const UNITS = { s: ['ms', 1_000], percentunit: ['%', 100], currencyUSD: ['$', 1], ops: ['/s', 1], reqps: ['/s', 1], bytes: ['MB', 1e-6] };
  const shown = (value, unit) => {
    const [sign = '', factor = 1] = UNITS[unit] ?? [];
    const number = (value ?? 0) * factor;
    if (unit === 's' && Math.abs(number) >= 1_000) return `${(number / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
    const text = number.toLocaleString('en', { maximumFractionDigits: Math.abs(number) < 10 ? 2 : 0 });
    return sign === '$' ? `$${text}` : `${text}${sign === 'ms' || sign === 'MB' ? ` ${sign}` : sign}`;
  };
  const element = (parent, name, className, text = '') => {
    const made = parent.appendChild(document.createElement(name));
    made.className = className;
    made.textContent = text;
    return made;
  };
  document.body.textContent = '';
  element(document.body, 'h1', '', title);
  const board = element(document.body, 'div', 'board');
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  board.style.height = `${rows * CELL.height}px`;
  for (const { type, title: heading, gridPos, unit, limits, max, series } of panels) {
    const box = element(board, 'section', type);
    const [x, y, width, height] = [
      gridPos.x * CELL.width,
      gridPos.y * CELL.height,
      gridPos.w * CELL.width - 8,
      gridPos.h * CELL.height - 8,
    ];
    box.style.cssText = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
    element(box, 'h2', '', heading);
    if (type === 'row') continue;
    if (series.length === 0) {
      element(box, 'p', 'none', 'No data');
      continue;
    }
    if (type === 'stat') {
      const value = series[0].points.at(-1)[1];
      element(box, 'p', 'value', shown(value, unit)).style.color = limits.some((limit) => value >= limit) ? RED : '#1a7f37';
      continue;
    }
    const at = ({ points }) => {
      const values = new Map(points);
      return times.map((time) => (Number.isFinite(values.get(time)) ? values.get(time) : null));
    };
    const data = series.map(at);
    // A limit is drawn where the data come near it, as it would else flatten them.
    const highest = Math.max(...data.flat().map((value) => value ?? 0), 0);
    const drawn = limits.filter((limit) => limit <= highest * 4);
    const top = Math.max(max ?? 0, highest * 1.1, ...drawn.map((limit) => limit * 1.1)) || 1;
    const names = series.slice(0, 6).map(({ name }) => name || heading);
    new uPlot(
      {
        ...{ width: width - 12, height: height - 56, legend: { show: false }, cursor: { show: false } },
        scales: { y: { range: [0, top] } },
        axes: [
          {
            size: 26,
            font: '10px system-ui',
            grid: { stroke: '#eee' },
            values: (_, all) => all.map((time) => new Date(time * 1e3).toISOString().slice(11, 16)),
          },
          { size: 56, font: '10px system-ui', grid: { stroke: '#eee' }, values: (_, all) => all.map((value) => shown(value, unit)) },
        ],
        series: [
          {},
          ...data.map((_, i) => ({ stroke: COLORS[i % COLORS.length], width: 1.5, points: { show: false }, spanGaps: true })),
          ...drawn.map(() => ({ stroke: RED, dash: [5, 4], width: 1, points: { show: false } })),
        ],
      },
      [times, ...data, ...drawn.map((limit) => times.map(() => limit))],
      box,
    );
    const legend = element(box, 'ul', 'legend');
    for (const [i, name] of names.entries()) element(legend, 'li', '', name).style.setProperty('--color', COLORS[i]);
    if (series.length > names.length) element(legend, 'li', 'more', `and ${series.length - names.length} more`);
  }
};

const STYLE = `
  body { margin: 16px; width: 1200px; font: 13px system-ui, 'DejaVu Sans', sans-serif; background: #f4f5f5; color: #1f2328 }
  h1 { font-size: 18px; margin: 0 0 10px } .board { position: relative }
  section { position: absolute; background: #fff; border: 1px solid #dfe2e5; border-radius: 3px; padding: 4px 6px; box-sizing: border-box; overflow: hidden }
  section.row { background: none; border: 0; padding: 4px 0; overflow: visible } h2 { font-size: 12px; margin: 2px 0 4px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
  .row h2 { font-size: 14px } .value { font-size: 44px; text-align: center; margin: 38px 0 } .none { text-align: center; color: #8a939c; margin-top: 60px }
  .legend { display: flex; flex-wrap: wrap; gap: 0 10px; margin: 0; padding: 0; list-style: none; font-size: 10px; height: 24px; overflow: hidden }
  .legend li::before { content: ''; display: inline-block; width: 10px; height: 3px; margin: 0 4px 3px 0; background: var(--color, transparent) }
  .u-axis { color: #57606a }
`;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1232, height: 900 } });
await page.setContent(`<style>${uplot('uPlot.min.css')}${STYLE}</style>`);
await page.addScriptTag({ content: uplot('uPlot.iife.min.js') });
const times = Array.from({ length: (to - from) / STEP_S + 1 }, (_, i) => from + i * STEP_S);
for (const file of readdirSync(BOARDS)) {
  const { title, panels } = JSON.parse(readFileSync(path.join(BOARDS, file), 'utf8'));
  const toPanel = async ({ type, title: heading, gridPos, targets = [], fieldConfig: { defaults = {} } = {} }) => ({
    ...{ type, title: heading, gridPos, unit: defaults.unit, max: defaults.max },
    limits: (defaults.thresholds?.steps ?? []).flatMap(({ value }) => value ?? []),
    series: (await Promise.all(targets.map(read)))
      .flat()
      .sort((a, b) => highestOf(b) - highestOf(a))
      .filter(({ points }) => points.some(([, value]) => Number.isFinite(value))),
  });
  await page.evaluate(draw, { title, panels: await Promise.all(panels.map(toPanel)), times });
  await page.locator('body').screenshot({ path: path.join(ROOT, `docs/images/board-${path.parse(file).name}.png`) });
  console.log(`docs/images/board-${path.parse(file).name}.png`);
}
await browser.close();
