/** Entry of the package: `import { AdSDK } from …`. */
import type { AdSDK as AdSDKContract } from './contract.ts';
import { createAdSDK } from './create-ad-sdk.ts';

export type * from './contract.ts';
export { createAdSDK };

/**
 * Uses the server that served this module. In a bundle of your own, use `createAdSDK({ baseUrl })`
 * or pass `baseUrl` to each call.
 */
export const AdSDK: AdSDKContract = createAdSDK({ baseUrl: import.meta.url.startsWith('http') ? new URL(import.meta.url).origin : '' });
