/** Entry of the script: `window.AdSDK` for the server that served it. */
import { createSDK } from './create-sdk.ts';
import { installGlobal } from './install-global.ts';

const script = document.currentScript as HTMLScriptElement | null;

/** A part beside the script, of its version. */
const load = <T>(part: string): Promise<T> => import(`${script?.src.replace(/[^/]*$/, '')}${part}-${SDK_VERSION}.js`) as Promise<T>;

installGlobal(script, (options) => createSDK(options, { loadDialog: () => load('adsdk-dialog'), loadNative: () => load('adsdk-native') }));
