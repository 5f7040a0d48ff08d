/** Entry of the package: `import { AdSDK } from …`. */
import type { AdSDK as AdSDKContract, AdSDKOptions } from './contract.ts';
import { createSDK } from './create-sdk.ts';

export type * from './contract.ts';

/** Creates an SDK for one ad server. Does not touch the page before a method is called. */
export const createAdSDK = (options: AdSDKOptions): AdSDKContract =>
  createSDK(options, {
    loadDialog: () => import('./report-modal.ts'),
    loadNative: () => import('./render-native.ts'),
    loadPlayer: () => import('./player/render-player.ts'),
  });

/**
 * Uses the server that served this module. In a bundle of your own, use `createAdSDK({ baseUrl })`
 * or pass `baseUrl` to each call.
 */
export const AdSDK: AdSDKContract = createAdSDK({ baseUrl: import.meta.url?.startsWith('http') ? new URL(import.meta.url).origin : '' });
