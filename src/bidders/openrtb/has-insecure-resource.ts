/** Attributes from which a browser loads something by itself. `href` loads only outside of links. */
const LOADING = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'data', 'background']);
const HREFS = new Set(['href', 'xlink:href']);
const LINKS = new Set(['a', 'area']);
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp']);

/** `url(http:…)` and `@import "http:…"`, wherever they stand. One character class each, so that no input makes it backtrack. */
const INSECURE_CSS = /(?:url\(|@import)["'\s]*http:/i;
/** The value is optional so that a name always matches whole: a long run of characters is read once, not once from each of them. */
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+)))?/g;

/**
 * Would this markup make an https page load something over plain http? Scans tags as a browser does (comments and raw text skipped), in linear
 * time. What a script loads at run time is the browser's own mixed-content rule to stop.
 */
export const hasInsecureResource = (markup: string): boolean => {
  const text = decodeReferences(markup);
  return INSECURE_CSS.test(text) || scanTags(text);
};

const scanTags = (text: string): boolean => {
  let at = text.indexOf('<');
  while (at !== -1) {
    if (text.startsWith('<!--', at)) {
      at = endOf(/--!?>/g, text, at + 2);
    } else if (/[a-z]/i.test(text.charAt(at + 1))) {
      const end = endOfTag(text, at + 1);
      const tag = text.slice(at + 1, end);
      const name = /^[^\s/>]+/.exec(tag)?.[0].toLowerCase() ?? '';
      if (loadsInsecurely(name, tag.slice(name.length))) return true;
      at = RAW_TEXT.has(name) ? endOf(new RegExp(`</${name}`, 'gi'), text, end) : end;
    } else {
      at += 1;
    }
    at = at === -1 ? -1 : text.indexOf('<', at);
  }
  return false;
};

/** The position of the tag's `>`, or of the end of the text: quoted values may hold a `>`. */
const endOfTag = (text: string, from: number): number => {
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if (character === '"' || character === "'") quote = character;
  }
  return text.length;
};

/** Where the pattern next stands, or -1. */
const endOf = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
};

const loadsInsecurely = (name: string, attributes: string): boolean => {
  for (const match of attributes.matchAll(ATTRIBUTE)) {
    const key = (match[1] ?? '').toLowerCase();
    const value = match[2] ?? match[3] ?? match[4] ?? '';
    const loads = LOADING.has(key) || (HREFS.has(key) && !LINKS.has(name));
    // Browsers drop tabs and line ends inside a URL and blanks before it; a srcset holds several URLs.
    const url = key.endsWith('srcset') ? /(?:^|[\s,])http:/i : /^[\0- ]*http:/i;
    if (loads && url.test(key.endsWith('srcset') ? value : value.replace(/[\t\n\r]/g, ''))) return true;
  }
  return false;
};

/** The character references with which `http:` could be spelled; the rest cannot hide it. */
const decodeReferences = (markup: string): string =>
  markup.includes('&')
    ? markup
        .replace(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex?: string, decimal?: string) => {
          const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
          return code < 128 && code !== 34 && code !== 39 && code !== 60 && code !== 62 ? String.fromCharCode(code) : '';
        })
        .replace(/&colon;/gi, ':')
        .replace(/&(?:tab|newline);/gi, '')
    : markup;
