import { Parser } from 'htmlparser2';
import { MAX_SIDE_PIXELS } from './asset.ts';
import { ENTRY_SCRIPT } from './entry-script.ts';

/** What is looked for is in the head of the page. */
const HEAD_BYTES = 64 * 1024;

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
  return Buffer.concat([page.subarray(0, at), Buffer.from(ENTRY_SCRIPT), page.subarray(at)]);
};
