/**
 * The script of preview.html, which is served with a sandbox policy and so has an opaque origin. It
 * replaces its document with the markup that the page sends, and reports which picture the browser
 * chose for each image.
 */
const report = (message: object): void => parent.postMessage(message, '*');

window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  const { markup } = (data ?? {}) as { readonly markup?: unknown };
  if (source !== parent || typeof markup !== 'string') return;
  document.open();
  // Creatives may report events; a preview ignores them.
  (window as unknown as Record<string, unknown>)['AdSDK_Creative_Event'] = () => undefined;
  document.write(markup);
  document.close();
  for (const image of document.images) {
    const chosen = () => report({ preview: 'image', src: image.currentSrc, failed: image.naturalWidth === 0 });
    if (image.complete) chosen();
    image.addEventListener('load', chosen);
    image.addEventListener('error', chosen);
  }
});

report({ preview: 'ready' });
