/** The package's entry, for `import { AdSDK } from …`. */
import type { AdSDK as AdSDKContract } from './contract.ts';
import { createAdSDK } from './create-ad-sdk.ts';

export type * from './contract.ts';
export { createAdSDK };

/** For the server that served this module. From a bundle of the page's own, use `createAdSDK({ baseUrl })` or give each call its baseUrl. */
export const AdSDK: AdSDKContract = createAdSDK({ baseUrl: import.meta.url.startsWith('http') ? new URL(import.meta.url).origin : '' });
