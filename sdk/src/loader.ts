/**
 * Entry of the loader, the small script that a page loads first: keeps the page's commands and
 * loads the full script when it is needed, which is when a command waits, or when a slot is in
 * the page and, with `data-lazy`, near the viewport.
 */
import { askedPart } from './asked-part.ts';
import { stubOf, waitingIn, type Stub } from './command-queue.ts';
import type { Command } from './contract.ts';
import { SLOT } from './slot-attributes.ts';
import { warnOnce } from './warn-once.ts';

/** Before the distance at which a lazy slot is filled (300 pixels), so that the script is there in time. */
const NEAR_PX = 900;

const own = document.currentScript as HTMLScriptElement;
const page = window as unknown as { AdSDK?: Stub; adsdk?: unknown };
const stub = stubOf(page);

if (!stub.version && !stub.loading) {
  stub.loading = true;
  let load = (): void => {
    load = () => {};
    slots.disconnect();
    near.disconnect();
    const url = own.src.replace(/adsdk-loader/, 'adsdk');
    const script = document.createElement('script');
    const policy = (
      window as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } }
    ).trustedTypes?.createPolicy('adsdk-loader', { createScriptURL: (address: string) => address });
    script.src = policy?.createScriptURL(url) ?? url;
    script.async = true;
    script.nonce = own.nonce;
    // The hash belongs to the copy with the same version as this loader.
    if (url.includes(SDK_VERSION)) {
      script.integrity = FULL_INTEGRITY;
      script.crossOrigin = 'anonymous';
    }
    Object.assign(script.dataset, own.dataset);
    script.onerror = () => warnOnce(`${url} could not be loaded; the page stays without ads`);
    document.head.append(script);
  };
  const near = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && load(), {
    rootMargin: `${NEAR_PX}px`,
  });
  const look = (): void => {
    for (const slot of document.querySelectorAll(`[${SLOT}]`)) {
      if (slot.hasAttribute('data-lazy')) near.observe(slot);
      else load();
    }
  };
  const slots = new MutationObserver(look);
  slots.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: [SLOT] });

  /** Commands stay in an array, which the full script empties. */
  const keep = (queue: unknown): Command[] => {
    const kept = [...waitingIn(queue)];
    kept.push = (...commands) => {
      load();
      return Array.prototype.push.apply(kept, commands);
    };
    return kept;
  };
  const commands = (stub.cmd = keep(stub.cmd));
  const others = (page.adsdk = keep(page.adsdk)) as readonly Command[];
  if (commands.length || others.length || askedPart()) load();
  look();
}
