import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';

/** A drawing; larger ones hold photographs, for which there are other formats. */
export const MAX_SVG_BYTES = 256 * 1024;

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const XHTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';
/** Elements, without prefix and in lower case, that run, embed or load something. */
const REFUSED = new Set(['script', 'foreignobject', 'iframe', 'object', 'embed', 'audio', 'video', 'link', 'meta', 'handler', 'listener']);
/** Animations of other attributes than these are harmless. */
const ANIMATIONS = new Set(['set', 'animate']);
const NO_ROOT = `has no <svg xmlns="${SVG_NAMESPACE}"> as its root`;
/** The parser takes a time for each element that grows with the depth. */
const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 200;
/** Characters between which other work is done. */
const PART_CHARACTERS = 8 * 1024;
const EMBEDDED_PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,/i;
const LOADING_CSS = /@import|url\((?!["']?(?:#|data:image\/(?:png|jpeg|gif|webp);base64,))/i;

export type SvgRoot = { readonly fault: string } | { readonly rootTag: string };

/**
 * Why an SVG is refused; otherwise its root tag, which states its size. A drawing must be plain: no
 * script, no event handlers, no entities, nothing that is loaded from elsewhere. Refused instead of
 * cleaned, so that the served file is the uploaded one. Reads a part at a time, between which other
 * work is done: 256 KB of empty elements take 70 ms.
 */
export const checkSvg = async (bytes: Buffer): Promise<SvgRoot> => {
  if (bytes.length > MAX_SVG_BYTES) return { fault: `is an SVG of more than ${MAX_SVG_BYTES / 1024} KB: export it as PNG or WebP` };
  if (!isUtf8(bytes)) return { fault: 'is an SVG that is not encoded in UTF-8' };
  const text = bytes.toString('utf8');
  if (/^[^>]*encoding\s*=\s*["'](?!utf-8["'])/i.test(text.slice(0, 200))) return { fault: 'is an SVG that is not encoded in UTF-8' };

  let fault: string | undefined;
  const refuse = (what: string): void => void (fault ??= `is an SVG that ${what}: export it again without scripts and links`);
  let rootTag = '';
  let element = '';
  let attributes = 0;
  let depth = 0;
  /** Depth of the <style> that is open; 0: none. */
  let styleDepth = 0;
  let styles = '';
  const parser = new Parser(
    {
      onprocessinginstruction: (name, data) => {
        if (/^\?xml-stylesheet/i.test(name)) refuse('loads a style sheet');
        if (name.startsWith('!') && (!/^!doctype/i.test(name) || data.includes('['))) refuse('defines entities');
      },
      onopentagname: (name) => {
        element = localName(name);
        attributes = 0;
        if (rootTag === '' && name !== 'svg') refuse(NO_ROOT);
        if (REFUSED.has(element)) refuse(`contains <${element}>`);
        if (++depth > MAX_DEPTH) refuse('nests its elements too deeply');
        if (element === 'style') styleDepth ||= depth;
      },
      onattribute: (name, value) => {
        if (++attributes > MAX_ATTRIBUTES) refuse('has too many attributes');
        checkAttribute(element, name, value, refuse);
      },
      onopentag: (_, { xmlns }) => {
        if (rootTag !== '') return;
        if (xmlns !== SVG_NAMESPACE) refuse(NO_ROOT);
        rootTag = text.slice(parser.startIndex, parser.endIndex + 1);
      },
      onclosetag: () => {
        if (depth-- === styleDepth) styleDepth = 0;
      },
      ontext: (found) => {
        if (styleDepth > 0) styles += found;
      },
    },
    { xmlMode: true },
  );
  for (let at = 0; at < text.length && fault === undefined; at += PART_CHARACTERS) {
    parser.write(text.slice(at, at + PART_CHARACTERS));
    await setImmediate();
  }
  if (fault === undefined) parser.end();
  if (rootTag === '') refuse(NO_ROOT);
  if (loads(styles)) refuse('loads something from elsewhere');
  return fault === undefined ? { rootTag } : { fault };
};

const checkAttribute = (element: string, attribute: string, value: string, refuse: (what: string) => void): void => {
  const name = localName(attribute);
  if (ANIMATIONS.has(element) && name === 'attributename' && /href$|^on/i.test(value.trim())) refuse('animates a link');
  if (name.startsWith('on')) refuse(`has an event handler (${name})`);
  if (attribute.startsWith('xmlns') && value.trim() === XHTML_NAMESPACE) refuse('contains HTML');
  if (['href', 'src', 'data'].includes(name) && !isHarmless(element, value.trim())) refuse('loads or links to something else');
  if (name === 'style' ? loads(value) : LOADING_CSS.test(value)) refuse('loads something from elsewhere');
};

/** Escapes in CSS can hide a function; drawing programs do not write them. */
const loads = (css: string): boolean => css.includes('\\') || LOADING_CSS.test(css);

/** Within the drawing, or a picture that it contains. */
const isHarmless = (element: string, url: string): boolean =>
  url === '' || url.startsWith('#') || (['image', 'feimage'].includes(element) && EMBEDDED_PICTURE.test(url));

const localName = (name: string): string => (name.split(':').at(-1) ?? '').toLowerCase();
