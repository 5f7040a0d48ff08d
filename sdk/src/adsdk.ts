/** Entry of the package: `import { AdSDK } from …`. */
import type { AdSDK as AdSDKContract, AdSDKOptions } from './contract.ts';
import { createSDK, type LoadPart } from './create-sdk.ts';

export type * from './contract.ts';

const PARTS = {
  dialog: () => import('./report-modal.ts'),
  native: () => import('./render-native.ts'),
  player: () => import('./player/render-player.ts'),
};

/** Creates an SDK for one ad server. Does not touch the page before a method is called. */
export const createAdSDK = (options: AdSDKOptions): AdSDKContract => createSDK(options, ((part) => PARTS[part]()) as LoadPart);

/**
 * Uses the server that served this module. In a bundle of your own, use `createAdSDK({ baseUrl })`
 * or pass `baseUrl` to each call.
 */
export const AdSDK: AdSDKContract = createAdSDK({ baseUrl: import.meta.url?.startsWith('http') ? new URL(import.meta.url).origin : '' });
