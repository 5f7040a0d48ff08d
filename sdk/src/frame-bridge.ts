/**
 * Runs inside the sandboxed frame, before the creative. Tells the page of clicks and of the creative's events by message; the page decides
 * what it believes. Built on its own into FRAME_BRIDGE, so it imports nothing.
 */
{
  const tell = (message: object): void => parent.postMessage(message, '*');
  /** Set while a click is on its way: it was an event of the creative (a like, a next slide), not a visit to the advertiser. */
  let isEvent = false;

  (window as unknown as { AdSDK_Creative_Event: (type: unknown) => void }).AdSDK_Creative_Event = (type) => {
    isEvent = true;
    tell({ adsdk: 'event', type: String(type) });
  };

  const onClick = (event: MouseEvent): void => {
    const origin = event.composedPath()[0];
    const hit = origin instanceof Element ? origin.closest('a[href],area[href],input,select,textarea,label,summary') : null;
    if (!event.isTrusted || event.button > 1) return;
    if (!hit) {
      // A creative may open its page by script from any element: counted after its own handlers, unless they reported an event.
      isEvent = false;
      if (!event.button) setTimeout(() => isEvent || tell({ adsdk: 'click' }));
    } else if (/^(a|area)$/i.test(hit.localName) && !/^\s*(#|javascript:)/i.test(hit.getAttribute('href') ?? '')) {
      // The sandbox would refuse _top and _parent, and _self would load the advertiser's page into the slot.
      hit.setAttribute('target', '_blank');
      hit.setAttribute('rel', 'noopener');
      tell({ adsdk: 'click' });
    }
  };
  addEventListener('click', onClick, true);
  addEventListener('auxclick', onClick, true);
}
