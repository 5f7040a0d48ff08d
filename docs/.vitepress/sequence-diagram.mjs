/*
 * Draws the sequence diagrams of the documents while the site is built, so that a page loads no
 * diagram library. GitHub draws the same text itself. It knows the part of Mermaid's syntax that the
 * documents use, and fails on anything else: https://mermaid.js.org/syntax/sequenceDiagram.html
 */

const TEXT_PX = 13;
/** The mean width of a character of a sans-serif face of that size, on the safe side. */
const CHARACTER_PX = 6.9;
const LINE_PX = 17;
const PADDING_PX = 10;
const MIN_COLUMN_PX = 150;
/** A narrower column scrolls instead: the text would be too small to read. */
const MIN_WIDTH_PX = 560;
/** The colours of the site, in both of its schemes. */
const BOX = 'var(--vp-c-bg-soft,#f6f6f7)';
/** Keeps a label readable where it crosses a line. */
const HALO = ' style="paint-order:stroke;stroke:var(--vp-c-bg,#fff);stroke-width:4px"';

/**
 * @param {string} source Mermaid text that begins with `sequenceDiagram`
 * @returns {string} an SVG element in the colour of the text around it
 * @throws on a line that it does not know
 */
export function drawSequence(source) {
  const { title, actors, steps } = parse(source);
  const x = place(actors, steps);
  /** Each is drawn when the width of the diagram is known. */
  const shapes = [];
  let left = 0;
  let right = 0;
  const box = (centre, top, texts, outline) => {
    const width = widthOf(texts) + 2 * PADDING_PX;
    const height = texts.length * LINE_PX + PADDING_PX;
    left = Math.min(left, centre - width / 2);
    right = Math.max(right, centre + width / 2);
    shapes.push(
      () => `<rect x="${centre - width / 2}" y="${top}" width="${width}" height="${height}" rx="4" style="fill:${BOX}" ${outline}/>`,
    );
    texts.forEach((text, row) => shapes.push(() => label(text, centre, top + LINE_PX * (row + 1) + 1)));
    return top + height;
  };
  const heading = (text, top) => shapes.push(() => label(text, left + PADDING_PX, top + 14, ' text-anchor="start" font-weight="600"'));

  for (const { name, text } of actors) box(x.get(name), 0, [text], 'stroke="currentColor"');
  let y = 44;
  const open = [];
  for (const { kind, from, to, text, texts, dashed, waits } of steps) {
    if (kind === 'note') {
      y = box((x.get(from) + x.get(to)) / 2, y, texts, 'stroke="currentColor" stroke-opacity="0.35"') + 14;
    } else if (kind === 'message') {
      const line = y + texts.length * LINE_PX;
      texts.forEach((part, row) => {
        const at = y + LINE_PX * row + 12;
        shapes.push(() => label(part, (x.get(from) + x.get(to)) / 2, at, HALO));
      });
      const style = `stroke="currentColor" marker-end="url(#${waits ? 'closed' : 'open'})"${dashed ? ' stroke-dasharray="5 4"' : ''}`;
      shapes.push(() => `<path d="M${x.get(from)} ${line}H${x.get(to)}" ${style}/>`);
      y = line + 18;
    } else if (kind === 'end') {
      const { top, cuts } = open.pop();
      const height = y - top - 4;
      const style = 'fill="none" stroke="currentColor" stroke-opacity="0.5"';
      shapes.push(() => `<rect x="${left}" y="${top}" width="${right - left}" height="${height}" rx="4" ${style}/>`);
      for (const cut of cuts) shapes.push(() => `<path d="M${left} ${cut}H${right}" stroke-dasharray="3 3" ${style}/>`);
      y += 10;
    } else {
      if (kind === 'else') open.at(-1).cuts.push(y);
      else open.push({ top: y, cuts: [] });
      heading(text, y);
      y += 30;
    }
  }
  left -= 14;
  right += 14;
  const lines = [...x.values()].map((at) => `<path d="M${at} 28V${y}" stroke="currentColor" stroke-opacity="0.3"/>`);
  const head = (id, shape) =>
    `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">${shape}</marker>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escape(title)}" viewBox="${left - 1} -1 ${right - left + 2} ${y + 2}" ` +
    `width="${Math.round(right - left + 2)}" style="max-width:100%;min-width:${MIN_WIDTH_PX}px;height:auto" font-size="${TEXT_PX}" text-anchor="middle" fill="currentColor">` +
    `<defs>${head('closed', '<path d="M0 0 8 4 0 8z"/>')}${head('open', '<path d="M0 0 8 4 0 8" fill="none" stroke="currentColor"/>')}</defs>` +
    `${lines.join('')}${shapes.map((shape) => shape()).join('')}</svg>`
  );
}

const label = (text, x, y, more = '') => `<text x="${x}" y="${y}"${more}>${escape(text)}</text>`;
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const linesOf = (text) => text.split(/<br\s*\/?>/).map((line) => line.trim());
const widthOf = (texts) => Math.max(...texts.map((text) => text.length)) * CHARACTER_PX;

const RULES = [
  [/^participant (\w+)(?: as (.+))?$/, (read, name, text = name) => read.actors.push({ name, text })],
  [/^accTitle: (.+)$/, (read, text) => (read.title = text)],
  [
    /^(\w+)(--?)(>>|\))(\w+): (.+)$/,
    (read, from, line, head, to, text) =>
      read.steps.push({ kind: 'message', from, to, dashed: line === '--', waits: head === '>>', texts: linesOf(text) }),
  ],
  [
    /^Note over (\w+)(?:,(\w+))?: (.+)$/,
    (read, from, to = from, text) => read.steps.push({ kind: 'note', from, to, texts: linesOf(text) }),
  ],
  [/^(opt|alt|loop) (.+)$/, (read, word, text) => read.steps.push({ kind: 'block', text: `${word}: ${text}` })],
  [/^else (.+)$/, (read, text) => read.steps.push({ kind: 'else', text: `else: ${text}` })],
  [/^end$/, (read) => read.steps.push({ kind: 'end' })],
];

function parse(source) {
  const [first, ...lines] = source.trim().split('\n');
  if (first !== 'sequenceDiagram') throw new Error(`A diagram must begin with sequenceDiagram, not ${first}`);
  const read = { title: '', actors: [], steps: [] };
  for (const line of lines.map((text) => text.trim()).filter(Boolean)) {
    const found = RULES.map(([pattern, add]) => ({ match: pattern.exec(line), add })).find(({ match }) => match);
    if (!found) throw new Error(`A line of a sequence diagram is not known: ${line}`);
    // Mermaid reads it as the end of a block.
    if (line !== 'end' && /\bend\b/i.test(line)) throw new Error(`The word "end" breaks a diagram: ${line}`);
    found.add(read, ...found.match.slice(1));
  }
  const names = read.actors.map(({ name }) => name);
  const unknown = read.steps.flatMap(({ from, to }) => [from, to]).find((name) => name !== undefined && !names.includes(name));
  if (unknown) throw new Error(`${unknown} is no participant`);
  if (!read.title) throw new Error('A diagram needs an accTitle');
  return read;
}

/** The columns: as far apart as the texts between them need. */
function place(actors, steps) {
  const order = new Map(actors.map(({ name }, index) => [name, index]));
  const gaps = actors.map(() => MIN_COLUMN_PX);
  for (const { kind, from, to, texts } of steps) {
    if (kind !== 'message') continue;
    const [low, high] = [order.get(from), order.get(to)].sort((a, b) => a - b);
    for (let gap = low; gap < high; gap++) gaps[gap] = Math.max(gaps[gap], (widthOf(texts) + 3 * PADDING_PX) / (high - low));
  }
  let at = 0;
  return new Map(actors.map(({ name }, index) => [name, index === 0 ? 0 : (at += gaps[index - 1])]));
}
