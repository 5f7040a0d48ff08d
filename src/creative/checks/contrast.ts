/** A text that is hard to read on its background. */
export interface WeakContrast {
  /** `#999999 on #ffffff` */
  readonly colours: string;
  /** 1 to 21, WCAG 2. */
  readonly ratio: number;
}

/** WCAG 2.2, 1.4.3: of text that is not large. */
export const MIN_CONTRAST = 4.5;

type Rgb = readonly [red: number, green: number, blue: number];

const NAMED: Readonly<Record<string, string>> = {
  white: '#ffffff',
  black: '#000000',
  red: '#ff0000',
  yellow: '#ffff00',
  gray: '#808080',
  grey: '#808080',
};

/** The rules of styles in a text, and what attributes say. */
export const stylesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\{([^{}]{0,4000})\}|\bstyle\s*=\s*"([^"]{0,4000})"/g), ([, rule, style]) => rule ?? style ?? '');

/** Rules of styles that set a colour of the text and a plain background whose contrast is too weak. */
export const contrastFaults = (text: string): readonly WeakContrast[] => {
  const weak = stylesIn(text).flatMap((rule) => {
    const front = colourOf(/(?:^|[;\s])color\s*:\s*([^;}]{1,60})/i.exec(rule)?.[1]);
    const back = colourOf(/(?:^|[;\s])background(?:-color)?\s*:\s*([^;}]{1,60})/i.exec(rule)?.[1]);
    if (!front || !back) return [];
    const ratio = contrastOf(front, back);
    return ratio < MIN_CONTRAST ? [{ colours: `${hexOf(front)} on ${hexOf(back)}`, ratio: Math.round(ratio * 10) / 10 }] : [];
  });
  return [...new Map(weak.map((one) => [one.colours, one])).values()];
};

/** Of a value that is an opaque colour and nothing else. */
const colourOf = (value: string | undefined): Rgb | undefined => {
  const word =
    value
      ?.replace(/!important/i, '')
      .trim()
      .toLowerCase() ?? '';
  const hex = NAMED[word] ?? word;
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(hex);
  const [, red, green, blue] = short ?? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(hex) ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined)
    return [red, green, blue].map((part) => parseInt(short ? part + part : part, 16)) as unknown as Rgb;
  const [, ...parts] = /^rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/.exec(hex) ?? [];
  return parts.length === 3 ? (parts.map(Number) as unknown as Rgb) : undefined;
};

const hexOf = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2, relative luminance. */
const luminanceOf = (colour: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrastOf = (one: Rgb, other: Rgb): number => {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
