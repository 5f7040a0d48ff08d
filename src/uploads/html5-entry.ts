import { Parser } from 'htmlparser2';
import { MAX_SIDE_PIXELS } from './asset.ts';

/** What is looked for is in the head of the page. */
const HEAD_BYTES = 64 * 1024;

/**
 * Gives the ad its click address, from the fragment of its address: the page is then the same file for
 * every impression. An ad also assigns `clickTag` itself, to be tested alone: that is ignored.
 */
const CLICK_TAG =
  '(function(u){if(u===null)return;try{u=new URL(u,location.href)}catch(e){return}if(!/^https?:$/.test(u.protocol))return;' +
  '["clickTag","clickTAG"].forEach(function(n){Object.defineProperty(window,n,{configurable:true,get:function(){return u.href},' +
  'set:function(){}})})})(new URLSearchParams(location.hash.slice(1)).get("clickTag"));';

/**
 * Runs `<a href="javascript:window.open(window.clickTag)">`, as Google documents it: Chromium follows
 * no javascript: link in a sandboxed frame on an opaque origin.
 */
const SCRIPT_LINKS =
  'addEventListener("click",function(e){var a=e.target.closest&&e.target.closest("a[href],area[href]"),' +
  'c=a&&/^\\s*javascript:([^]*)$/i.exec(a.getAttribute("href"));if(!c||e.defaultPrevented)return;e.preventDefault();' +
  'c=c[1];try{c=decodeURIComponent(c)}catch(f){}(0,eval)(c)});';

const ENTRY_SCRIPT = Buffer.from(`<script>${CLICK_TAG}${SCRIPT_LINKS}</script>`);

/** A page as it was uploaded. */
export const withoutEntryScript = (page: string): string => page.replace(ENTRY_SCRIPT.toString(), '');

/** The size in `<meta name="ad.size" content="width=300,height=250">`, as Google Ad Manager reads it. */
export const html5Size = (page: Buffer): { readonly width: number | null; readonly height: number | null } => {
  let stated = '';
  const parser = new Parser({
    onopentag: (element, { name, content }) => {
      if (element === 'meta' && name?.trim().toLowerCase() === 'ad.size') stated ||= content ?? '';
    },
  });
  parser.end(page.toString('utf8', 0, HEAD_BYTES));
  const sideOf = (name: string): number | null => {
    const side = Number(new RegExp(`\\b${name}\\s*=\\s*(\\d{1,5})\\b`, 'i').exec(stated)?.[1]);
    return side >= 1 && side <= MAX_SIDE_PIXELS ? side : null;
  };
  return { width: sideOf('width'), height: sideOf('height') };
};

/**
 * The page with the script before all of the page's scripts. Byte by byte: the page may be in any encoding that
 * contains ASCII.
 */
export const withEntryScript = (page: Buffer): Buffer => {
  let at = 0;
  let isInHead = true;
  const parser = new Parser({
    // Also the doctype.
    onprocessinginstruction: () => {
      if (isInHead) at = parser.endIndex + 1;
    },
    onopentag: (name) => {
      isInHead &&= name === 'html' || name === 'head';
      if (isInHead) at = parser.endIndex + 1;
    },
  });
  parser.end(page.toString('latin1', 0, HEAD_BYTES));
  return Buffer.concat([page.subarray(0, at), ENTRY_SCRIPT, page.subarray(at)]);
};
