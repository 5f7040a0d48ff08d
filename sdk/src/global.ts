/**
 * Entry of the script: sets `window.AdSDK` for the server that served it. A second copy of the
 * script has no effect.
 */
import { createAdSDK } from './create-ad-sdk.ts';

const script = document.currentScript as HTMLScriptElement | null;

window.AdSDK ??= createAdSDK({ baseUrl: new URL(script?.src || location.href).origin, nonce: script?.nonce ?? '' });
