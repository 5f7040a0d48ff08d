import type { Knex } from 'knex';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { AddressPolicy } from '../../bidders/calls/read-bidder-url.ts';
import type { CatalogWriter } from '../../bookings/catalog-writer.ts';
import type { RequestMediaBuy } from '../../buys/request-media-buy.ts';
import type { Arguments, ToolAnswer, ToolCall } from '../tool.ts';
import type { AdcpFault } from './adcp-fault.ts';
import type { Buyer } from './buyer.ts';

/** What the tools of buyers work with. */
export interface Seller extends AddressPolicy {
  readonly knex: Knex;
  readonly writer: CatalogWriter;
  readonly requestMediaBuy: RequestMediaBuy;
  readonly approvals: ApprovalStore;
  /** Seals the secrets of webhooks. */
  readonly secretBox: SecretBox;
  /** Of this door: formats are named by it. */
  readonly agentUrl: string;
  readonly isSandbox: boolean;
  /** Replays the bookings of a publisher: what is free has changed. */
  readonly refreshForecast: (publisherId: number) => void;
  readonly now: () => number;
}

export interface BuyerCall {
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly call: ToolCall;
}

/** An answer of a tool, or why the call is refused: all reasons that were found. */
export type Told = ToolAnswer | AdcpFault | readonly [AdcpFault, ...AdcpFault[]];
export type BuyerTool = (given: Arguments, call: BuyerCall) => Promise<Told>;
