/**
 * The script of preview.html, which is served with a sandbox of its own: whatever runs here has an origin of nobody's. It takes one piece of
 * markup from the page around it and becomes it, and tells which picture the browser chose for each image.
 */
const tell = (message: object): void => parent.postMessage(message, '*');

window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  const { markup } = (data ?? {}) as { readonly markup?: unknown };
  if (source !== parent || typeof markup !== 'string') return;
  document.open();
  // Creatives may report events; a preview has nobody to tell.
  (window as unknown as Record<string, unknown>)['AdSDK_Creative_Event'] = () => undefined;
  document.write(markup);
  document.close();
  for (const image of document.images) {
    const chosen = () => tell({ preview: 'image', src: image.currentSrc, failed: image.naturalWidth === 0 });
    if (image.complete) chosen();
    image.addEventListener('load', chosen);
    image.addEventListener('error', chosen);
  }
});

tell({ preview: 'ready' });
