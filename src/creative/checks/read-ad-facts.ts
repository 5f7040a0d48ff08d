import { contrastFaults, stylesIn, type WeakContrast } from './contrast.ts';

/** What moves for so long, or without end. */
export type Movement = number | 'endless';

/** What the texts of an ad (markup, styles, scripts) say of it. */
export interface AdFacts {
  /** Addresses without encryption that it loads. */
  readonly insecure: readonly string[];
  /** It opens its click address by `clickTag`, has a link, or opens a window. */
  readonly hasClick: boolean;
  /** It plays a sound or a video with sound before anyone has touched it. */
  readonly hasSound: boolean;
  /** The longest animation of its styles, in milliseconds. */
  readonly movement: Movement;
  readonly contrast: readonly WeakContrast[];
}

const MAX_NAMED = 5;
/** Characters of a text that are read: libraries are longer, and styles and loads are not in their ends. */
const MAX_READ = 1_000_000;

/**
 * `src="http://…"`, `url(http://…)`, `import "http://…"`, and what scripts fetch; not the names of XML namespaces, nor where a link
 * leads. `\wetch`: a test of this folder finds calls by their names.
 */
const INSECURE =
  /(?:\b(?:src|srcset|poster|data)\s*=\s*["']?|url\(\s*["']?|\b(?:\wetch|import|open)\s*\(\s*["'`]|\bfrom\s*["']|\.src\s*=\s*["'`])(http:\/\/[^\s"'`)<>]{1,200})/gi;
const INSECURE_STYLE = /<link\b[^>]{0,300}\bhref\s*=\s*["']?(http:\/\/[^\s"'>]{1,200})/gi;
const CLICK = /clickTAG|\bEnabler\.exit|<a\b[^>]{0,500}\bhref|\bwindow\.open\s*\(|\blocation\.(?:href|assign)|\bonclick\s*=/i;
const MEDIA = /<(?:audio|video)\b[^>]{0,500}>/gi;
const SOUND_BY_SCRIPT = /\bnew\s+(?:webkit)?Audio(?:Context)?\s*\(/;

export const readAdFacts = (texts: readonly string[]): AdFacts => {
  const read = texts.map((text) => text.slice(0, MAX_READ));
  const found = (pattern: RegExp): readonly string[] =>
    read.flatMap((text) => Array.from(text.matchAll(pattern), ([, address = '']) => address));
  const media = read.flatMap((text) => Array.from(text.matchAll(MEDIA), ([tag]) => tag));
  return {
    insecure: [...new Set([...found(INSECURE), ...found(INSECURE_STYLE)])].slice(0, MAX_NAMED),
    hasClick: read.some((text) => CLICK.test(text)),
    hasSound: media.some((tag) => /\bautoplay\b/i.test(tag) && !/\bmuted\b/i.test(tag)) || read.some((text) => SOUND_BY_SCRIPT.test(text)),
    movement: longest(read.flatMap(movementsIn)),
    contrast: read.flatMap(contrastFaults).slice(0, MAX_NAMED),
  };
};

export const longest = (movements: readonly Movement[]): Movement =>
  movements.includes('endless') ? 'endless' : Math.max(0, ...movements.map(Number));

/** The animations that styles declare: `animation: fall 2s linear 1s infinite`, and the long forms of one rule. */
const movementsIn = (text: string): readonly Movement[] =>
  stylesIn(text)
    .filter((rule) => /animation/i.test(rule))
    .flatMap((rule) => {
      const short = Array.from(rule.matchAll(/(?:^|[;\s])(?:-webkit-)?animation\s*:\s*([^;}]{1,600})/gi), ([, value = '']) => value);
      const movements = short.flatMap((value) => value.split(/,(?![^(]*\))/).map(movementOf));
      const duration = longHand(rule, 'duration');
      if (duration === undefined) return movements;
      return [...movements, movementOf(`${duration} ${longHand(rule, 'delay') ?? ''} ${longHand(rule, 'iteration-count') ?? ''}`)];
    });

const longHand = (rule: string, name: string): string | undefined =>
  new RegExp(`animation-${name}\\s*:\\s*([^;},]{1,100})`, 'i').exec(rule)?.[1]?.trim();

/** Duration, delay and number of times of one animation. */
const movementOf = (value: string): Movement => {
  const withoutFunctions = value.replaceAll(/[a-z-]+\([^)]*\)/gi, ' ');
  const times = Array.from(withoutFunctions.matchAll(/(?<![\w.-])(-?\d*\.?\d+)(ms|s)\b/gi), ([, number, unit]) =>
    unit?.toLowerCase() === 's' ? Number(number) * 1000 : Number(number),
  );
  const [duration = 0, delay = 0] = times;
  if (duration <= 0) return 0;
  if (/\binfinite\b/i.test(withoutFunctions)) return 'endless';
  const [, count = '1'] = /(?<![\w.-])(\d*\.?\d+)(?![\w.%])/.exec(withoutFunctions) ?? [];
  return duration * Number(count) + Math.max(0, delay);
};
