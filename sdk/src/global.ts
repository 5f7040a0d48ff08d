/** The script's entry: sets `window.AdSDK`, for the server that the script came from. A second copy of the script changes nothing. */
import { createAdSDK } from './create-ad-sdk.ts';

const script = document.currentScript as HTMLScriptElement | null;

window.AdSDK ??= createAdSDK({ baseUrl: new URL(script?.src || location.href).origin, nonce: script?.nonce ?? '' });
