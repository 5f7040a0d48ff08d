/** The node of this service in a supply chain (OpenRTB 2.6, 3.2.26). null: it is not paid for what the bidder buys. */
export interface SellerNode {
  readonly asi: string;
  /** `sellerIdOf` fills it in. */
  readonly sid: string;
  /** The company that is paid, and its domain; null: the publisher. */
  readonly name: string | null;
  readonly domain: string | null;
}

/** The seller id of a publisher: `${PUBLISHER_ID}` in that of the node is replaced. */
export const sellerIdOf = ({ sid }: Pick<SellerNode, 'sid'>, publisherId: number): string =>
  sid.replaceAll('${PUBLISHER_ID}', String(publisherId));
