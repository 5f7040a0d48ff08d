import { isVideo } from '../../catalog/model/entities.ts';
import type { PrivacySignals } from '../../context/consent/privacy-signals.ts';
import type { Addresses } from '../../creative/absolute-address.ts';
import { composeMarkup } from '../../creative/compose-markup.ts';
import { escapeHtml } from '../../creative/escape-html.ts';
import { fillMacros } from '../../creative/fill-macros.ts';
import { shownSize } from '../../decision/ad-query.ts';
import type { FilledImp } from '../../serving/serve-ad.ts';

export interface TagFrame {
  readonly filled: FilledImp | undefined;
  /** The addresses that count its click and its impression. */
  readonly click: string;
  readonly impression: string;
  readonly signals: PrivacySignals;
  /** Of the paths in creatives. */
  readonly addresses: Addresses;
  /** The JSON text of the trace; '': none was asked for. */
  readonly trace: string;
}

/**
 * Counts the click on a link of the creative that does not lead through `/click` itself, once. A link
 * to a script would run it in a window outside of the sandbox, so it leads nowhere.
 */
const COUNT_CLICKS = `(function(c,d){addEventListener('click',function(e){var a=e.composedPath()[0];a=a&&a.closest&&a.closest('a[href],area[href]');
if(!e.isTrusted||!a)return;if(/^javascript:/i.test(a.protocol||a.getAttribute('href')))e.preventDefault();
if(d||String(a.href).indexOf(c)>=0||!/^https?:/.test(a.href))return;d=1;
fetch(c,{redirect:'manual',credentials:'omit',keepalive:true})},true)})`;

/**
 * The document of a frame: the creative with its macros filled, and the pixel that counts the
 * impression. Without an ad it is empty.
 */
export const writeTagFrame = (frame: TagFrame): string => {
  // A trace may contain the text of an address: as JSON it must not end its element.
  const traced = frame.trace && `<script type="application/json" id="trace">${frame.trace.replaceAll('<', '\\u003c')}</script>`;
  const head = '<!doctype html><meta charset="utf-8"><title>Advertisement</title><base target="_blank">';
  return `${head}<body style="margin:0">${writeTagBody(frame)}${traced}`;
};

/** What is in the body of such a document; '': there is no ad. */
export const writeTagBody = ({ filled, click, impression, signals, addresses }: TagFrame): string => {
  if (!filled) return '';
  const {
    imp,
    won: { candidate, bid, ad },
  } = filled;
  const { creative, ecpmMicros } = candidate;
  const { content, clickUrl } = creative;
  // A frame asks for neither video nor sound.
  const own = isVideo(content) ? '' : composeMarkup({ content, clickUrl }, shownSize(creative, imp), addresses, click);
  const markup = bid ? bid.adm : own;
  const withMacros = fillMacros(markup, { ...signals, click, cacheBuster: ad.tokenId }).replaceAll(
    '${AUCTION_PRICE}',
    String(ecpmMicros / 1e6),
  );
  return (
    `<script>${COUNT_CLICKS}(${JSON.stringify(click)})</script>${withMacros}` +
    `<img src="${escapeHtml(impression)}" alt="" width="1" height="1" style="position:absolute;left:-9px">`
  );
};
