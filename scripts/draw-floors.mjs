/*
 * Draws docs/images/floors.svg: the folders of src on their floors, and a line for each folder that another one imports.
 * Run it after a folder imports another one for the first time: node scripts/draw-floors.mjs
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYWHERE, FLOORS, foldersImported } from './floors.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const WORDS = {
  '.': 'main.ts',
  commands: 'what an operator runs',
  replica: 'wires one replica',
  agents: 'tools for assistants and buyers',
  trafficking: 'the API as a whole',
  buys: 'what agents of buyers buy',
  alerts: 'what staff are told',
  finance: 'statements, closed months',
  delivery: 'status, course, refusals, tests',
  assets: 'uploaded files',
  reports: 'questions, saved, shared, sent',
  bookings: 'records, bulk, history, comments',
  api: 'route table, OpenAPI, gate',
  http: 'public routes, wire formats',
  serving: 'an ad request, step by step',
  tracking: 'tokens, hits, invalid traffic',
  events: 'from Redis to Postgres',
  bidders: 'calls, bids, notices',
  ledger: 'accounts and holds, by Lua',
  decision: 'rules, ranking, reasons',
  creative: 'markup',
  context: 'address, device, consent',
  uploads: 'reading files',
  catalog: 'entities, checks, snapshot',
  targeting: 'the index',
  redis: 'client, scripts, streams',
};

const WIDTH = 1_000;
const BOX = { width: 218, height: 38 };
const GAP = { x: 24, y: 20 };
const TOP = 20;

/**
 * The picture as text.
 * @param {string} root of the checkout
 * @returns {string}
 */
export const drawFloors = (root) => {
  const places = new Map();
  for (const [floor, folders] of FLOORS.entries()) {
    const left = (WIDTH - folders.length * BOX.width - (folders.length - 1) * GAP.x) / 2;
    for (const [i, folder] of folders.entries())
      places.set(folder, { x: left + i * (BOX.width + GAP.x), y: TOP + floor * (BOX.height + GAP.y), floor });
  }
  const height = TOP + FLOORS.length * (BOX.height + GAP.y) + 24;
  const lines = [...foldersImported(root)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([folder, targets]) => {
      const from = places.get(folder);
      if (!from) return [];
      return [...targets].sort().flatMap((target) => {
        const to = places.get(target);
        return to && to.floor > from.floor ? [lineOf(from, to)] : [];
      });
    });
  const boxes = [...places].map(
    ([folder, { x, y }]) =>
      `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>` +
      `<text x="${x + BOX.width / 2}" y="${y + 16}" text-anchor="middle">${folder === '.' ? 'src' : folder}</text>` +
      `<text x="${x + BOX.width / 2}" y="${y + 31}" text-anchor="middle" class="s">${WORDS[folder] ?? ''}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13">`,
    '<style>rect{fill:#fff;stroke:#475569} text{fill:#0f172a} .s{font-size:11px;fill:#475569} path{stroke:#1d4ed8;stroke-opacity:.35;fill:none}</style>',
    `<rect width="${WIDTH}" height="${height}" style="fill:#fff;stroke:none"/>`,
    ...lines,
    ...boxes,
    `<text x="${WIDTH / 2}" y="${height - 12}" text-anchor="middle" class="s">${EVERYWHERE.join(', ')}: imported from everywhere</text>`,
    '</svg>',
    '',
  ].join('\n');
};

/** Straight to the next floor, and around the boxes between to lower ones: further out the longer it is. */
const lineOf = (from, to) => {
  const [x1, y1] = [from.x + BOX.width / 2, from.y + BOX.height];
  const [x2, y2] = [to.x + BOX.width / 2, to.y];
  const floors = to.floor - from.floor;
  if (floors === 1) return `<path d="M${x1} ${y1} L${x2} ${y2}"/>`;
  const side = x1 + x2 < WIDTH || (x1 + x2 === WIDTH && floors % 2 === 0) ? -1 : 1;
  const out = WIDTH / 2 + side * Math.min(WIDTH / 2 - 10, 150 + floors * 24);
  return `<path d="M${x1} ${y1} C${out} ${y1 + 30} ${out} ${y2 - 30} ${x2} ${y2}"/>`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path.join(ROOT, 'docs/images/floors.svg'), drawFloors(ROOT));
