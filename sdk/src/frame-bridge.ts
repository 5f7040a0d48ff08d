/**
 * Runs inside the sandboxed frame before the creative, and sends clicks and the creative's events
 * to the page as messages, which the page checks. rollup.config.js builds it separately into
 * FRAME_BRIDGE, so it has no imports.
 */
{
  const send = (message: object): void => parent.postMessage(message, '*');
  /**
   * Whether the current click was reported as an event of the creative (a like, a next slide) and
   * is no click on the ad.
   */
  let isEvent = false;

  (window as unknown as { AdSDK_Creative_Event: (type: unknown) => void }).AdSDK_Creative_Event = (type) => {
    isEvent = true;
    send({ adsdk: 'event', type: String(type) });
  };

  const onClick = (event: MouseEvent): void => {
    const origin = event.composedPath()[0];
    const hit = origin instanceof Element ? origin.closest('a[href],area[href],input,select,textarea,label,summary') : null;
    if (!event.isTrusted || event.button > 1) return;
    if (!hit) {
      // A creative may open its page by script from any element. The click counts after the
      // creative's own handlers ran, unless they reported an event.
      isEvent = false;
      if (!event.button) setTimeout(() => isEvent || send({ adsdk: 'click' }));
    } else if (/^(a|area)$/i.test(hit.localName) && !/^\s*(#|javascript:)/i.test(hit.getAttribute('href') ?? '')) {
      // The sandbox blocks _top and _parent, and _self would load the advertiser's page into the
      // frame.
      hit.setAttribute('target', '_blank');
      hit.setAttribute('rel', 'noopener');
      send({ adsdk: 'click' });
    }
  };
  addEventListener('click', onClick, true);
  addEventListener('auxclick', onClick, true);
}
