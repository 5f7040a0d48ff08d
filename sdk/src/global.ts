/** Entry of the script: `window.AdSDK` for the server that served it. */
import { askedPart } from './asked-part.ts';
import { createSDK } from './create-sdk.ts';
import type { startOverlay } from './debug/overlay.ts';
import { installGlobal } from './install-global.ts';

/** A part through which the requests of the SDK pass: the debug overlay, or the preview. */
interface Overlay {
  readonly startOverlay: typeof startOverlay;
}

const script = document.currentScript as HTMLScriptElement | null;

/** A part beside the script, of its version. */
const load = <T>(part: string): Promise<T> => import(`${script?.src.replace(/[^/]*$/, '')}adsdk-${part}-${SDK_VERSION}.js`) as Promise<T>;

const install = (overlay: Overlay | void): void =>
  installGlobal(script, (options) => createSDK({ ...options, ...(overlay && { fetch: overlay.startOverlay() }) }, load));

// Before the first request, which the part records or answers. Where it cannot be loaded, the page has its ads as ever.
const asked = askedPart();
if (asked)
  void load<Overlay>(asked)
    .catch(() => {})
    .then(install);
else install();
