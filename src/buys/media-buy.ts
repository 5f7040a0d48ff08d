import type { Booking } from '../bookings/booking-api.ts';
import type { EntityRecord } from '../bookings/entity-kind.ts';

/** A package as an agent asked for it. Amounts are in the currency of the publisher. */
export interface AskedPackage {
  /** The placement. */
  readonly product_id: string;
  readonly name: string;
  readonly pricing_option_id: string;
  readonly guaranteed: boolean;
  /** Per thousand impressions. */
  readonly price: number;
  readonly budget: number;
  /** What the budget buys. */
  readonly impressions: number;
  readonly paused: boolean;
  /** RFC 3339. */
  readonly start_time: string;
  readonly end_time: string;
  /** As it was sent, and as a line item has it. */
  readonly targeting_overlay?: EntityRecord | undefined;
  readonly targeting: EntityRecord;
  /** Of the buyer: those that it has not sent yet are shown as soon as it does. */
  readonly creative_ids: readonly string[];
}

export interface BoughtPackage extends AskedPackage {
  readonly line_item_id: number;
  /** RFC 3339; undefined: it is not. */
  readonly canceled_at?: string | undefined;
}

export interface AskedBuy {
  readonly name: string;
  readonly order_number: string | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly packages: readonly AskedPackage[];
}

/** Whose a media buy is. */
export interface BuyOwner {
  readonly publisherId: number;
  readonly advertiserId: number;
}

/** The campaign that a media buy is. */
export const bookingOf = ({ publisherId, advertiserId }: BuyOwner, asked: AskedBuy): Booking => ({
  campaign: {
    fields: {
      ...{ publisher_id: publisherId, advertiser_id: advertiserId, name: asked.name, order_number: asked.order_number },
      ...{ start_date: asked.start_time, end_date: asked.end_time, budget: budgetOf(asked.packages) },
    },
  },
  line_items: asked.packages.map((one) => ({ fields: lineItemOf(one), creatives: [] })),
});

/** In whole micros, as amounts are. */
export const budgetOf = (packages: readonly Pick<AskedPackage, 'budget'>[]): number =>
  packages.reduce((sum, { budget }) => sum + Math.round(budget * 1e6), 0) / 1e6;

/** Guaranteed impressions come before those that are sold without a guarantee. */
const lineItemOf = (one: AskedPackage): EntityRecord => ({
  ...{ name: one.name, active: !one.paused, start_date: one.start_time, end_date: one.end_time },
  ...{ budget_type: 'CPM', cpm: one.price, budget: one.budget, pacing: 'Even', priority: one.guaranteed ? 2 : 3 },
  ...{ placement_ids: [one.product_id], targeting: one.targeting },
  ...(one.guaranteed && { goal_impressions: one.impressions }),
});
