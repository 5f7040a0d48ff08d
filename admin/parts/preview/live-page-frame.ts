/**
 * The script of live-page.html, whose policy alone allows frames of other sites: shows a page of a publisher with an ad in the slot of
 * its tag. The page around this document sends what is shown, and hears when it is.
 */
import { answerPage } from './answer-page.ts';
import { addressWithAd, type AdOnPage } from './live-ad.ts';

let end = (): void => undefined;

const show = ({ ad, scheme }: AdOnPage): void => {
  const frame = document.createElement('iframe');
  frame.title = ad.title;
  // Not its top: a page that leaves frames would take the place of the tool.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms allow-popups');
  frame.referrerPolicy = 'no-referrer';
  Object.assign(frame.style, { position: 'fixed', inset: '0', width: '100%', height: '100%', border: '0', colorScheme: scheme });
  frame.src = addressWithAd(ad);
  document.body.replaceChildren(frame);
  end();
  end = answerPage(frame.contentWindow, ad, () => parent.postMessage({ livePage: 'shown' }, location.origin));
};

window.addEventListener('message', ({ source, origin, data }: MessageEvent<{ readonly shown?: AdOnPage } | null>) => {
  if (source === parent && origin === location.origin && data?.shown) show(data.shown);
});

parent.postMessage({ livePage: 'ready' }, location.origin);
