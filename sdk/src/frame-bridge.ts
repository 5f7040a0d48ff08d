/**
 * Runs inside the sandboxed frame before the creative, and sends clicks and the creative's events
 * to the page as messages, which the page checks. rollup.config.js builds it separately into
 * FRAME_BRIDGE, so it has no imports.
 */
{
  const own = document.currentScript as HTMLScriptElement;
  /**
   * Known to the page and to this script only: the element is removed before the creative's
   * markup is parsed, so that the creative cannot send messages in this script's name.
   */
  const key = own.dataset['key'];
  own.remove();
  // The creative may replace these functions later.
  const { parent } = window;
  const post = parent.postMessage.bind(parent);
  const now = Date.now;
  const later = setTimeout;
  const send = (message: object): void => post({ ...message, adsdk: key }, '*');

  /**
   * When the visitor last pressed or released something in the frame, until an event has used it. Of the keys only those that press: a
   * creative that takes the focus gets what the visitor types elsewhere.
   */
  let gestureAt = -Infinity;
  for (const type of ['pointerdown', 'pointerup', 'keydown', 'click']) {
    addEventListener(
      type,
      (event) => event.isTrusted && [undefined, 'Enter', ' '].includes((event as KeyboardEvent).key) && (gestureAt = now()),
      true,
    );
  }

  /**
   * Whether the current click was reported as an event of the creative (a like, a next slide) and
   * is no click on the ad.
   */
  let isEvent = false;

  (window as unknown as { AdSDK_Creative_Event: (type: unknown) => void }).AdSDK_Creative_Event = (type) => {
    isEvent = true;
    // An event of the creative belongs to a gesture of the last second.
    send({ event: String(type), gesture: now() - gestureAt < 1000 });
    gestureAt = -Infinity;
  };

  const onClick = (event: MouseEvent): void => {
    const origin = event.composedPath()[0];
    const hit = origin instanceof Element ? origin.closest('a[href],area[href],input,select,textarea,label,summary') : null;
    if (!event.isTrusted || event.button > 1) return;
    const address = hit?.getAttribute('href');
    if (!hit) {
      // A creative may open its page by script from any element. The click counts after the
      // creative's own handlers ran, unless they reported an event.
      isEvent = false;
      if (!event.button) later(() => isEvent || send({ click: 1 }));
    } else if (/^javascript:/i.test((hit as HTMLAnchorElement).protocol || address!)) {
      // The script would run in a new window, outside of the sandbox. A link of SVG has no protocol.
      event.preventDefault();
    } else if (address && address[0] !== '#') {
      // The sandbox blocks _top and _parent, and _self would load the advertiser's page into the
      // frame.
      hit.setAttribute('target', '_blank');
      hit.setAttribute('rel', 'noopener');
      send({ click: 1 });
    }
  };
  for (const type of ['click', 'auxclick']) addEventListener(type, onClick as EventListener, true);
}
