/** Entry of the script: `window.AdSDK` for the server that served it. */
import { createSDK } from './create-sdk.ts';
import { asksForOverlay } from './debug/asks-for-overlay.ts';
import type { startOverlay } from './debug/overlay.ts';
import { installGlobal } from './install-global.ts';

interface Overlay {
  readonly startOverlay: typeof startOverlay;
}

const script = document.currentScript as HTMLScriptElement | null;

/** A part beside the script, of its version. */
const load = <T>(part: string): Promise<T> => import(`${script?.src.replace(/[^/]*$/, '')}adsdk-${part}-${SDK_VERSION}.js`) as Promise<T>;

const install = (overlay: Overlay | void): void =>
  installGlobal(script, (options) => createSDK({ ...options, ...(overlay && { fetch: overlay.startOverlay() }) }, load));

// Before the first request, which the overlay records. Where it cannot be loaded, the page has its ads as ever.
if (asksForOverlay())
  void load<Overlay>('debug')
    .catch(() => {})
    .then(install);
else install();
