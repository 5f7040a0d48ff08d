import { Parser } from 'htmlparser2';

/** Attributes whose URL a browser loads without user action. `href` loads only outside of links. */
const LOADING = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'data', 'background']);
const HREFS = new Set(['href', 'xlink:href']);
const LINKS = new Set(['a', 'area']);

/**
 * `url(http:…)` and `@import "http:…"`. One character class each, so that no input makes it
 * backtrack.
 */
const INSECURE_CSS = /(?:url\(|@import)["'\s]*http:/i;
/** Browsers drop tabs and line ends inside a URL and white space before it. */
const INSECURE_URL = /^[\0- ]*http:/i;
const INSECURE_SRCSET = /(?:^|[\s,])http:/i;
/**
 * Ends a tag that the markup leaves open, in whichever quotes: a browser that is still parsing may
 * load its resource.
 */
const CLOSING = `'">`;

/**
 * Would this markup make an https page load something over plain http? Linear time. Requests that
 * scripts make at run time are left to the browser's mixed-content rules.
 */
export const hasInsecureResource = (markup: string): boolean => {
  let element = '';
  // CSS is searched for in the markup as written and in every decoded piece of it: style elements,
  // attributes, SVG text.
  let css = `${markup}<`;
  let insecure = false;
  const parser = new Parser({
    onopentagname: (name) => void (element = name),
    onattribute: (name, value) => {
      css += `<${value}`;
      insecure ||= loads(element, name) && isInsecure(name, value);
    },
    ontext: (text) => void (css += text),
  });
  // In HTML, browsers end a CDATA section at its first `>`; the parser would look for `]]>` and
  // skip the tags before it.
  parser.end(markup.replaceAll('<![CDATA[', '<!x') + CLOSING);
  return insecure || INSECURE_CSS.test(css);
};

const loads = (element: string, attribute: string): boolean => LOADING.has(attribute) || (HREFS.has(attribute) && !LINKS.has(element));

const isInsecure = (attribute: string, value: string): boolean =>
  attribute.endsWith('srcset') ? INSECURE_SRCSET.test(value) : INSECURE_URL.test(value.replace(/[\t\n\r]/g, ''));
