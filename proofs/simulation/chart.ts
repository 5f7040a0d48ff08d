import { MINUTES_PER_DAY } from '../../src/base/utc-day.ts';
/** A line chart as HTML with inline SVG, without a script: the drawing scales with the page, the text does not. */
export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly dashed?: boolean;
  /** One value a minute from minute 0 on; undefined leaves a gap. */
  readonly values: readonly (number | undefined)[];
}

export interface Band {
  readonly name: string;
  readonly fromMinute: number;
  readonly toMinute: number;
}

export interface ChartOptions {
  readonly title: string;
  readonly note: string;
  readonly series: readonly Series[];
  readonly bands: readonly Band[];
  /** Least and greatest value shown; by default from 0 to the greatest of all. */
  readonly range?: readonly [number, number];
  readonly format: (value: number) => string;
}

const WIDTH = 1440;
const HEIGHT = 400;

export const chart = ({ title, note, series, bands, range, format }: ChartOptions): string => {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const [least, most] = range ?? niceRange(Math.min(0, ...known), Math.max(...known, 1e-9));
  const y = (value: number): number => HEIGHT - ((Math.min(Math.max(value, least), most) - least) / (most - least)) * HEIGHT;
  const ticks = Array.from({ length: 5 }, (_, i) => least + ((most - least) * i) / 4);
  const lines = ticks.map((tick) => `<line x1="0" x2="${WIDTH}" y1="${y(tick)}" y2="${y(tick)}" class="${tick === 0 ? 'zero' : 'grid'}"/>`);
  const shades = bands.map(
    ({ fromMinute, toMinute, name }) =>
      `<rect x="${fromMinute}" y="0" width="${toMinute - fromMinute}" height="${HEIGHT}" class="band"><title>${name}</title></rect>`,
  );
  const paths = series.map(
    ({ values, colour, dashed }) =>
      `<path d="${pathOf(values, y)}" stroke="${colour}"${dashed ? ' stroke-dasharray="6 5"' : ''} vector-effect="non-scaling-stroke"/>`,
  );
  const yLabels = ticks.map((tick) => `<span style="top:${((y(tick) / HEIGHT) * 100).toFixed(2)}%">${format(tick)}</span>`);
  const xLabels = [0, 4, 8, 12, 16, 20, 24].map(
    (hour) => `<span style="left:${((hour / 24) * 100).toFixed(2)}%">${String(hour).padStart(2, '0')}</span>`,
  );
  const bandLabels = bands.map(
    ({ name, fromMinute, toMinute }) =>
      `<span class="band-name" style="left:${(((fromMinute + toMinute) / 2 / MINUTES_PER_DAY) * 100).toFixed(2)}%">${name}</span>`,
  );
  const legend = series.map(
    ({ name, colour, dashed }) => `<li><i style="border-top:${dashed ? '2px dashed' : '3px solid'} ${colour}"></i>${name}</li>`,
  );
  return `<figure>
<figcaption><b>${title}</b><span>${note}</span></figcaption>
<ul class="legend">${legend.join('')}</ul>
<div class="plot"><div class="y">${yLabels.join('')}</div><div class="area">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}">${shades.join('')}${lines.join('')}${paths.join('')}</svg>
${bandLabels.join('')}<div class="x">${xLabels.join('')}</div></div></div>
</figure>`;
};

const pathOf = (values: readonly (number | undefined)[], y: (value: number) => number): string => {
  let drawing = false;
  const parts: string[] = [];
  values.forEach((value, minute) => {
    if (value === undefined) drawing = false;
    else {
      parts.push(`${drawing ? 'L' : 'M'}${minute} ${y(value).toFixed(1)}`);
      drawing = true;
    }
  });
  return parts.join('');
};

/** Rounds up to a number whose quarter is round too. */
const niceRange = (least: number, most: number): readonly [number, number] => {
  const reach = Math.max(most, -least);
  const unit = 10 ** Math.floor(Math.log10(reach));
  const end = ([1, 2, 4, 6, 8, 10].find((step) => step * unit >= reach) ?? 10) * unit;
  return [least < 0 ? -end : 0, end];
};
