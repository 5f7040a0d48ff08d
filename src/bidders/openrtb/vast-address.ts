import { fillWithin, type AuctionMacros } from './fill-auction-macros.ts';
import { asObject } from './json-fields.ts';

/** Where players get the VAST of a bid that has no markup. */
export interface VastAddress {
  readonly url: string;
  /** Whether it is the win notice: the player then sends it, and nothing else does. */
  readonly isWinNotice: boolean;
}

const MAX_LENGTH = 2_048;

/**
 * The address of the VAST of a bid: what Prebid Server has put into its cache, else the win notice, whose answer is the markup
 * (OpenRTB 2.6, 4.3.1). undefined: it has neither.
 */
export const vastAddressOf = (bid: Readonly<Record<string, unknown>>, macros: AuctionMacros): VastAddress | undefined => {
  const address = (value: unknown, isWinNotice: boolean): VastAddress | undefined => {
    const url = typeof value === 'string' && value.length <= MAX_LENGTH ? fillWithin(value, macros, MAX_LENGTH) : undefined;
    return url === undefined || url === '' ? undefined : { url, isWinNotice };
  };
  return address(inside(bid, 'ext', 'prebid', 'cache', 'vastXml', 'url'), false) ?? address(bid['nurl'], true);
};

const inside = (value: unknown, ...path: readonly string[]): unknown => path.reduce((of, name) => asObject(of)?.[name], value);
