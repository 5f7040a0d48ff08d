import type { AdSDK } from './contract.ts';
import { SLOT } from './slot-attributes.ts';
import { warnOnce } from './warn-once.ts';

/** Fills one declared slot. A slot with `data-template` is native. */
const fill = (sdk: AdSDK, slot: HTMLElement): void => {
  const placementId = slot.getAttribute(SLOT) ?? '';
  const { template } = slot.dataset;
  if (!template) return void sdk.renderAd(placementId, slot);
  const templateFn = sdk.templates[template];
  if (templateFn) void sdk.renderNativeAd(placementId, slot, templateFn);
  else warnOnce(`"${placementId}": set AdSDK.templates["${template}"] before the slot is in the page`);
};

/**
 * Fills the elements with `data-adsdk-slot`, now and as they come into the document or get another
 * placement. `onRemoved` is called after elements have left the document.
 */
export const watchSlots = (sdk: AdSDK, onRemoved: () => void): void => {
  const known = new WeakMap<Element, string | null>();
  const look = (root: ParentNode | Element): void => {
    const slots = [...root.querySelectorAll<HTMLElement>(`[${SLOT}]`)];
    if (root instanceof HTMLElement && root.hasAttribute(SLOT)) slots.push(root);
    for (const slot of slots) {
      const placementId = slot.getAttribute(SLOT);
      if (known.get(slot) === placementId) continue;
      known.set(slot, placementId);
      fill(sdk, slot);
    }
  };
  new MutationObserver((records) => {
    let isRemoved = false;
    for (const { target, addedNodes, removedNodes, type } of records) {
      if (type === 'attributes' && target.isConnected) look(target as Element);
      for (const node of addedNodes) if (node instanceof Element && node.isConnected) look(node);
      for (const node of removedNodes) {
        if (!(node instanceof Element) || node.isConnected) continue;
        isRemoved = true;
        // Inserted again, it is filled again.
        for (const slot of [node, ...node.querySelectorAll(`[${SLOT}]`)]) known.delete(slot);
      }
    }
    if (isRemoved) onRemoved();
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: [SLOT] });
  look(document);
};
