import type { Browser, OperatingSystem } from '../catalog/model/choices.ts';

/** Families by the brands of user agent client hints (OpenRTB `device.sua`), in lower case. */
export const BROWSER_BRANDS: ReadonlyMap<string, Browser> = new Map([
  ['google chrome', 'Chrome'],
  ['chrome', 'Chrome'],
  ['safari', 'Safari'],
  ['firefox', 'Firefox'],
  ['microsoft edge', 'Microsoft Edge'],
  ['samsung internet', 'Samsung Internet for Android'],
  ['opera', 'Opera'],
]);

/** Systems by the names of bowser, of client hints and of OpenRTB's `device.os`, in lower case. */
export const OS_BRANDS: ReadonlyMap<string, OperatingSystem> = new Map([
  ['windows', 'Windows'],
  ['macos', 'macOS'],
  ['mac os', 'macOS'],
  ['mac os x', 'macOS'],
  ['os x', 'macOS'],
  ['linux', 'Linux'],
  ['chrome os', 'Chrome OS'],
  ['chromium os', 'Chrome OS'],
  ['chromeos', 'Chrome OS'],
  ['android', 'Android'],
  ['ios', 'iOS'],
  ['ipados', 'iOS'],
]);

/** By OpenRTB's connection types; a generation of a mobile network is `cellular` too. */
export const CONNECTION_NAMES: readonly (readonly string[])[] = [
  [],
  ['ethernet'],
  ['wifi'],
  ['cellular'],
  ['cellular', '2g'],
  ['cellular', '3g'],
  ['cellular', '4g'],
  ['cellular', '5g'],
];
